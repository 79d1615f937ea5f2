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
