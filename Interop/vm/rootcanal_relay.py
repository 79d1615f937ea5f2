"""Carries HCI between a Unix socket and rootcanal's port: each connection to the socket is one more controller.

    python rootcanal_relay.py SOCKET PORT
"""

import os
import socket
import sys
import threading
import time


def acknowledge(connection):
    """At once, which Linux does again only when it is asked again: rootcanal writes a packet in two pieces, and its kernel keeps the second
    until the first is acknowledged, which by default takes 40 ms."""
    if connection.family == socket.AF_INET:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def carry(source, target):
    try:
        while data := source.recv(65536):
            acknowledge(source)
            target.sendall(data)
    except OSError:
        pass
    # Where one end has gone, so does the other.
    for connection in (source, target):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def controller(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    acknowledge(connection)
    return connection


def serve(host, port):
    try:
        with host, controller(port) as connection:
            back = threading.Thread(target=carry, args=(connection, host))
            back.start()
            carry(host, connection)
            back.join()
    except OSError as error:
        print(f"relay: {error}", flush=True)


def main(path, port):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{path}.new")
    listener.listen()
    # Who finds the socket finds rootcanal behind it.
    while True:
        try:
            controller(port).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    os.rename(f"{path}.new", path)
    while True:
        host, _ = listener.accept()
        threading.Thread(target=serve, args=(host, port), daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
