"""Octets through an L2CAP channel between two processes: how fast, and how many calls of the system each of its packets takes.

On the embedded radio in fast time, where the processes exchange the packets of their air, and over H4 on sockets, with two controllers that
`ble controller` offers. Octets are counted and compared by Tools/check-channels; calls are counted by strace in goes of their own, since it makes
a process much slower.
Usage: python3 Benchmarks/peer/paths.py PATH_TO_BLE [--megabytes 200] [--goes 3]
"""

import argparse
import contextlib
import glob
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# The octets of a channel in one packet of the link.
PACKET = 247


def load(path):
    loader = importlib.machinery.SourceFileLoader('channels', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('channels', loader))
    loader.exec_module(module)
    return module


channels = load(os.path.join(HERE, '..', '..', 'Tools', 'check-channels'))


@contextlib.contextmanager
def surroundings(speed):
    """The environment of programs on an air of their own."""
    with tempfile.TemporaryDirectory(prefix='ble-paths-') as folder:
        environment = dict(os.environ, BLE_ADAPTER='radio', BLE_RADIO_SPEED=str(speed))
        for variable in ('XDG_RUNTIME_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'):
            environment[variable] = os.path.join(folder, variable)
            os.mkdir(environment[variable], 0o700)
        yield folder, environment


def counted(tool, folder):
    """The tool as a script, so that strace counts the calls of each of its processes."""
    path = os.path.join(folder, 'counted')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\nexec strace -f -c -o {folder}/calls.$$ {tool} "$@"\n')
    os.chmod(path, 0o700)
    return path


def calls(folder, packets):
    """How many calls each packet took at both ends together, and which most."""
    numbers = {}
    for path in glob.glob(folder + '/calls.*'):
        with open(path, encoding='utf-8') as file:
            for line in file:
                words = re.match(r'\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$', line)
                if words and words[2] != 'total':
                    numbers[words[2]] = numbers.get(words[2], 0) + int(words[1])
    most = sorted(numbers.items(), key=lambda item: -item[1])[:6]
    named = ', '.join(f'{name} {number / packets:.2f}' for name, number in most)
    return f'{sum(numbers.values()) / packets:.2f} calls a packet at both ends ({named})'


def between_processes(tool, speed, megabytes, goes):
    for _ in range(goes):
        with surroundings(speed) as (_, environment):
            before = os.times()
            said = channels.fast(tool, environment, megabytes)
            after = os.times()
            # Of both ends, without this program's own.
            used = after.children_user + after.children_system - before.children_user - before.children_system
            print(f'air, speed {speed}: {said}; {1000 * used / megabytes:.1f} ms of processor time a megabyte', flush=True)
    if shutil.which('strace'):
        with surroundings(speed) as (folder, environment):
            channels.fast(counted(tool, folder), environment, 5)
            print(f'air, speed {speed}: {calls(folder, 5_000_000 / PACKET)}', flush=True)


class Controllers:
    """Two controllers on one air, offered by H4 on sockets."""

    def __init__(self, tool, folder, environment):
        self.processes, self.adapters = [], []
        for name in ('listener', 'connector'):
            path = os.path.join(folder, name)
            process = subprocess.Popen(
                [tool, 'controller', '--listen', f'unix-server:{path}', '--air', 'paths', '--device', name],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            process.stdout.readline()
            self.processes.append(process)
            self.adapters.append(f'unix-client:{path}')

    def end(self):
        for process in self.processes:
            process.terminate()
            process.wait()


def over_h4(tool, count=1_000_000):
    """Controllers are as fast as real ones: what counts is how often the hosts ask the kernel."""
    if not shutil.which('strace'):
        return
    with surroundings(1) as (folder, environment):
        controllers = Controllers(tool, folder, environment)
        try:
            seconds = channels.transfer(counted(tool, folder), environment, count, 300, adapters=controllers.adapters)
            print(f'H4 on sockets: {count / seconds / 1e6:.2f} MB/s, {calls(folder, count / PACKET)}', flush=True)
        finally:
            controllers.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('tool')
    parser.add_argument('--megabytes', type=int, default=200)
    parser.add_argument('--goes', type=int, default=3)
    words = parser.parse_args()
    tool = os.path.abspath(words.tool)
    if not os.access(tool, os.X_OK):
        sys.exit(f'paths.py: {tool} is no program')
    try:
        for speed in (50, 200, 1000):
            between_processes(tool, speed, max(1, words.megabytes * speed // 1000), words.goes)
        over_h4(tool)
    except channels.Failure as failure:
        sys.exit(f'paths.py: {failure}')


if __name__ == '__main__':
    main()
