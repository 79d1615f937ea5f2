"""A port of the loopback interface for a server that a test starts."""

import random
import socket


def free_port():
    """A port that nothing listens on, and that the kernel gives to no client (ip_local_port_range): between this and the server's start a
    client could get it otherwise, and one that tries to reach a server which is not there could meet itself."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise OSError("no port is free")
