"""What the kernel knows of its controllers, as far as bluetoothd has no word for it on D-Bus: their management
(include/net/bluetooth/mgmt.h) and their links (include/net/bluetooth/hci_sock.h)."""

import ctypes
import fcntl
import os
import socket
import struct

CONTROL_CHANNEL = 3
NO_CONTROLLER = 0xFFFF
COMMAND_COMPLETE, COMMAND_STATUS = 1, 2
SET_SECURE_CONNECTIONS = 0x2D
GET_CONNECTION_LIST = 0x800448D4
# Of a link: handle, address, type, direction, state, mode.
LINK = struct.Struct("<H6sBBHI")
MOST_LINKS = 16
CONNECTED, CONFIGURED, DISCONNECTING, CLOSED = 1, 7, 8, 9


def set_secure_connections(on, controller=0):
    """Whether the kernel pairs by Secure Connections, or by legacy pairing alone."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        # Python's own bind knows no channels.
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_CONTROLLER, CONTROL_CHANNEL)
        library = ctypes.CDLL(None, use_errno=True)
        if library.bind(control.fileno(), address, len(address)) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        control.send(struct.pack("<HHHB", SET_SECURE_CONNECTIONS, controller, 1, 1 if on else 0))
        while True:
            answer = control.recv(1024)
            event, _, _, command, status = struct.unpack_from("<HHHHB", answer.ljust(9, b"\0"))
            if event in (COMMAND_COMPLETE, COMMAND_STATUS) and command == SET_SECURE_CONNECTIONS:
                return status


def has_link(address, controller=0):
    """Whether the kernel has a link to this address that is up or ends; what is being connected is none."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        links = bytearray(4 + MOST_LINKS * LINK.size)
        struct.pack_into("<HH", links, 0, controller, MOST_LINKS)
        fcntl.ioctl(control, GET_CONNECTION_LIST, links)
        _, count = struct.unpack_from("<HH", links)
        found = [LINK.unpack_from(links, 4 + number * LINK.size) for number in range(count)]
    wanted = bytes.fromhex(address.replace(":", ""))[::-1]
    return any(peer == wanted and state in (CONNECTED, CONFIGURED, DISCONNECTING, CLOSED) for _, peer, _, _, state, _ in found)
