// The kernel's Bluetooth sockets, as far as this package uses them: numbers and structures of Linux' interface to programs, which its
// own headers do not carry (include/net/bluetooth in the kernel's source; libbluetooth repeats them for programs).

#pragma once

// Includes nothing of the sockets' headers: what a module includes first is that module's, and Glibc would miss it.
#include <stdint.h>

enum {
  KERNEL_BLUETOOTH_FAMILY = 31,
  KERNEL_BLUETOOTH_HCI_PROTOCOL = 1,
  // A whole controller for one program; the adapter has to be down.
  KERNEL_BLUETOOTH_USER_CHANNEL = 1,
  // The management interface of all adapters.
  KERNEL_BLUETOOTH_CONTROL_CHANNEL = 3,
  KERNEL_BLUETOOTH_NO_DEVICE = 0xffff,
};

struct KernelBluetoothAddress {
  uint16_t family;
  uint16_t device;
  uint16_t channel;
};

// What the kernel knows of a device (struct hci_dev_info in include/net/bluetooth/hci_sock.h): asked of any HCI socket, by any user.

// HCIGETDEVINFO: _IOR('H', 211, int).
static const unsigned long KERNEL_BLUETOOTH_DEVICE_INFORMATION = 0x800448d3;

struct KernelBluetoothDeviceInformation {
  // 0 for hci0; the one that is asked for.
  uint16_t device;
  char name[8];
  uint8_t address[6];
  uint32_t flags;
  uint8_t type;
  uint8_t features[8];
  uint32_t packet_types;
  uint32_t link_policy;
  uint32_t link_mode;
  uint16_t acl_length;
  uint16_t acl_packets;
  uint16_t synchronous_length;
  uint16_t synchronous_packets;
  uint32_t receive_errors;
  uint32_t send_errors;
  uint32_t sent_commands;
  uint32_t received_events;
  uint32_t sent_acl;
  uint32_t received_acl;
  uint32_t sent_synchronous;
  uint32_t received_synchronous;
  uint32_t received_octets;
  uint32_t sent_octets;
};

// Sockets of L2CAP channels (include/net/bluetooth/bluetooth.h and l2cap.h). They need no privilege.

enum {
  KERNEL_BLUETOOTH_L2CAP_PROTOCOL = 0,
  // The level of the options below.
  KERNEL_BLUETOOTH_OPTIONS = 274,
  KERNEL_BLUETOOTH_SECURITY_OPTION = 4,
  KERNEL_BLUETOOTH_SEND_MTU_OPTION = 12,
  KERNEL_BLUETOOTH_RECEIVE_MTU_OPTION = 13,
  // Encrypted; encrypted with keys from a pairing that is safe from a man in the middle.
  KERNEL_BLUETOOTH_SECURITY_MEDIUM = 2,
  KERNEL_BLUETOOTH_SECURITY_HIGH = 3,
  KERNEL_BLUETOOTH_LE_PUBLIC = 1,
  KERNEL_BLUETOOTH_LE_RANDOM = 2,
};

struct KernelBluetoothChannelAddress {
  uint16_t family;
  // Least significant octet first, as the address.
  uint16_t multiplexer;
  uint8_t octets[6];
  uint16_t channel;
  uint8_t kind;
};

struct KernelBluetoothSecurity {
  uint8_t level;
  uint8_t key_size;
};
