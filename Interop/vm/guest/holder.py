"""holder.py PROCESS: keeps the Bluetooth sockets of a process open, beyond its end, until this one is ended.

The kernel closes the files of a killed program one after another: for a moment some are closed and others are not. This makes that moment as long
as a test needs."""

import ctypes
import os
import signal
import socket
import sys

# Python has no function for it (include/uapi/asm-generic/unistd.h).
PIDFD_GETFD = 438


def copies(process):
    """Of each socket of the kernel's Bluetooth that the process has, one of this process."""
    system = ctypes.CDLL(None, use_errno=True)
    place = os.pidfd_open(process)
    for number in os.listdir(f"/proc/{process}/fd"):
        copy = system.syscall(PIDFD_GETFD, place, int(number), 0)
        if copy < 0:
            continue
        try:
            opened = socket.socket(fileno=copy)
        except OSError:
            os.close(copy)
            continue
        if opened.family == socket.AF_BLUETOOTH:
            yield opened


held = list(copies(int(sys.argv[1])))
print(f"{len(held)} held", flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
