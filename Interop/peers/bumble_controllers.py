"""Controllers of Bumble on one link, each offered as H4 on a TCP port of its own.

Run as a program: prints the ports as one line of JSON, then serves until its standard input ends.
"""

import asyncio
import contextlib
import json
import socket
import sys

from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport.tcp_server import open_tcp_server_transport_with_socket

# As modern chips have it; Bumble's own default is 27.
ACL_OCTETS = 251


async def open_controllers(count):
    """Answers the ports and the transports to close in the end."""
    link = LocalLink()
    ports, transports = [], []
    for index in range(count):
        listener = socket.create_server(('127.0.0.1', 0))
        transport = await open_tcp_server_transport_with_socket(listener)
        controller = Controller(f'C{index}', host_source=transport.source, host_sink=transport.sink, link=link)
        controller.le_acl_data_packet_length = ACL_OCTETS
        ports.append(listener.getsockname()[1])
        transports.append(transport)
    return ports, transports


async def serve(count):
    ports, _ = await open_controllers(count)
    print(json.dumps(ports), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == '__main__':
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 2))
