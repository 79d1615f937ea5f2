"""The kernel's management of its controllers (include/net/bluetooth/mgmt.h), as far as bluetoothd has no word for it on D-Bus."""

import ctypes
import os
import socket
import struct

CONTROL_CHANNEL = 3
NO_CONTROLLER = 0xFFFF
COMMAND_COMPLETE, COMMAND_STATUS = 1, 2
SET_SECURE_CONNECTIONS = 0x2D


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
