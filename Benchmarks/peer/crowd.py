"""A controller that hears thousands of advertisements a second, and what `ble scan` with its table takes of a processor for them.

The tool runs on a pseudo-terminal, over H4 on a socket of this machine. Bumble's controller answers its commands; the reports are put on the
socket beside it, as many as are due each ten milliseconds, of one device after another.
Usage: .venv/bin/python Benchmarks/peer/crowd.py PATH_TO_BLE [--rate 10000] [--devices 1000] [--seconds 5]
"""

import argparse
import asyncio
import os
import pty
import signal
import socket
import struct
import sys
import time

from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport import open_transport

TURN = 0.01
ROWS, COLUMNS = 40, 100


def report(index):
    """A legacy advertisement of a random static address, with a name, as an LE Extended Advertising Report."""
    address = struct.pack('<Q', 0xC00000000000 | index * 2654435761 & 0x3FFFFFFFFFFF)[:6]
    name = b'device %d' % index
    data = bytes([2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18, len(name) + 1, 0x09]) + name
    body = struct.pack('<HB6sBBBbbHB6sB', 0x0013, 1, address, 1, 0, 0xFF, 127, -60 - index % 30, 0, 0, bytes(6), len(data))
    parameters = bytes([0x0D, 1]) + body + data
    return bytes([0x04, 0x3E, len(parameters)]) + parameters


def seconds_of(process):
    """Processor time of all its threads."""
    with open(f'/proc/{process}/stat', encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def wake_ups_of(process):
    """How often its threads waited for something and were woken."""
    count = 0
    for thread in os.listdir(f'/proc/{process}/task'):
        try:
            with open(f'/proc/{process}/task/{thread}/status', encoding='utf-8') as file:
                count += sum(int(line.split()[1]) for line in file if line.startswith('voluntary_ctxt_switches'))
        except FileNotFoundError:
            pass
    return count


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Terminal:
    """Counts what a program draws, and lets it draw on."""

    def __init__(self, words):
        self.octets = 0
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update(TERM='xterm-256color', LINES=str(ROWS), COLUMNS=str(COLUMNS))
            os.execv(words[0], words)
        os.set_blocking(self.descriptor, False)
        asyncio.get_running_loop().add_reader(self.descriptor, self.read)

    def read(self):
        try:
            self.octets += len(os.read(self.descriptor, 65536))
        except OSError:
            asyncio.get_running_loop().remove_reader(self.descriptor)

    async def end(self):
        os.kill(self.process, signal.SIGINT)
        for _ in range(100):
            if os.waitpid(self.process, os.WNOHANG)[0]:
                return
            await asyncio.sleep(0.05)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


async def measure(tool, rate, devices, seconds):
    port = free_port()
    reports = [report(index) for index in range(devices)]
    async with await open_transport(f'tcp-server:127.0.0.1:{port}') as transport:
        controller = Controller('controller', host_source=transport.source, host_sink=transport.sink, link=LocalLink())
        terminal = Terminal([tool, 'scan', '--adapter', f'tcp-client:127.0.0.1:{port}', '--duration', '3600'])
        try:
            while not controller.le_scan_enable:
                await asyncio.sleep(TURN)
            return await feed(transport.sink, terminal, reports, rate, seconds)
        finally:
            await terminal.end()


async def feed(sink, terminal, reports, rate, seconds):
    """Once all devices were met, measures so many seconds."""
    begin, sent, first = time.monotonic(), 0, None
    warm = max(2.0, 2 * len(reports) / rate)
    while True:
        now = time.monotonic() - begin
        if first is None and now > warm:
            first = (now, sent, seconds_of(terminal.process), terminal.octets, wake_ups_of(terminal.process))
        if now > warm + seconds:
            break
        while sent < now * rate:
            sink.on_packet(reports[sent % len(reports)])
            sent += 1
        await asyncio.sleep(TURN)
    span, count = now - first[0], sent - first[1]
    used, drawn = seconds_of(terminal.process) - first[2], terminal.octets - first[3]
    woken = wake_ups_of(terminal.process) - first[4]
    return (f'{count / span:.0f} reports a second of {len(reports)} devices: {100 * used / span:.1f} % of a core, '
            f'{1e6 * used / count:.1f} us and {woken / count:.2f} wake-ups each, {drawn / span:.0f} octets a second to the terminal')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('tool')
    parser.add_argument('--rate', type=int, default=10_000)
    parser.add_argument('--devices', type=int, default=1_000)
    parser.add_argument('--seconds', type=float, default=5)
    words = parser.parse_args()
    if not os.access(words.tool, os.X_OK):
        sys.exit(f'crowd.py: {words.tool} is no program')
    print(asyncio.run(measure(os.path.abspath(words.tool), words.rate, words.devices, words.seconds)))


if __name__ == '__main__':
    main()
