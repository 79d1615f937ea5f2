"""holder.py PROCESS: keeps the Bluetooth sockets of a process open, beyond its end, until this one is ended.

So it is for a moment with each program that is killed, whose files the kernel closes one after another."""

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
