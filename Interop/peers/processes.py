"""Programs that a test starts, reads line by line, and ends by their own ids."""

import asyncio
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import termios

from . import deadline

HERE = pathlib.Path(__file__).resolve().parent
TOOL = os.environ.get('BLE_TOOL', str(HERE.parent.parent / '.build' / 'debug' / 'ble'))


class Process:
    """A running program, its output kept line by line as it comes."""

    def __init__(self, command, process, log_path):
        self.command = command
        self.process = process
        self.log_path = log_path
        self.lines = []
        self.errors = []
        self._arrived = asyncio.Event()
        self._log = open(log_path, 'w', encoding='utf-8')
        self._log.write(f'$ {" ".join(command)}\n')
        self._readers = [
            asyncio.create_task(self._read(process.stdout, self.lines, '')),
            asyncio.create_task(self._read(process.stderr, self.errors, '! ')),
        ]

    async def _read(self, stream, lines, mark):
        while octets := await stream.readline():
            line = octets.decode(errors='replace').rstrip('\n')
            lines.append(line)
            self._log.write(f'{mark}{line}\n')
            self._log.flush()
            self._arrived.set()
        self._arrived.set()

    async def line(self, matches, what, seconds=deadline.STEP):
        """The first line of standard output, from now on or before, that `matches`."""

        async def search():
            seen = 0
            while True:
                while seen < len(self.lines):
                    if matches(self.lines[seen]):
                        return self.lines[seen]
                    seen += 1
                if self._readers[0].done():
                    raise AssertionError(f'{self}: ended before {what}; {self.tail()}')
                self._arrived.clear()
                await self._arrived.wait()

        try:
            return await asyncio.wait_for(search(), seconds)
        except TimeoutError as error:
            raise AssertionError(f'{self}: not within {seconds:g} s: {what}; {self.tail()}') from error

    async def finish(self, seconds=deadline.STEP):
        """Waits for the program's own end; answers its exit code."""
        code = await deadline.within(seconds, f'{self} ends; {self.tail()}', self.process.wait())
        await asyncio.gather(*self._readers)
        return code

    async def interrupt(self):
        """Ends it as Ctrl-C would."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
        return await self.finish()

    async def end(self):
        """Ends it whatever it does, without a word."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 3)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    self.process.kill()
                await self.process.wait()
        for reader in self._readers:
            reader.cancel()
        self._log.close()

    def tail(self):
        return 'its last lines: ' + ' | '.join((self.lines + self.errors)[-6:])

    def __str__(self):
        return ' '.join(self.command[:3])


class Terminal:
    """A pseudo-terminal that a program asks its user on, while its output goes elsewhere."""

    def __init__(self):
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        self.text = ''

    def take(self):
        """In the new process, whose session has no terminal yet."""
        fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

    async def answer(self, pattern, line):
        """Waits until `pattern` is shown, types `line` and answers the match."""

        async def shown():
            while not (match := re.search(pattern, self.text)):
                with contextlib.suppress(BlockingIOError):
                    self.text += os.read(self._master, 4096).decode(errors='replace')
                await asyncio.sleep(0.02)
            return match

        match = await deadline.within(deadline.STEP, f'{pattern} on the terminal', shown())
        self.text = self.text[match.end() :]
        os.write(self._master, f'{line}\n'.encode())
        return match

    def close(self):
        os.close(self._master)
        os.close(self._slave)


class Processes:
    """All programs of one test: none outlives it. What they said is kept in the test's folder."""

    def __init__(self, folder):
        self.folder = folder
        self._running = []
        # Where an air has its sockets: of its own, and short, because the path of a socket may not be long.
        self._runtime = tempfile.mkdtemp(prefix='ble-')

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, *_):
        for process in reversed(self._running):
            await process.end()
        if kind is not None:
            # pytest shows it with the failure.
            for process in self._running:
                print(f'--- {process.log_path}\n{process.log_path.read_text(encoding="utf-8")}')
        shutil.rmtree(self._runtime, ignore_errors=True)

    async def start(self, name, *command, device=None, terminal=None):
        """Starts a program. `device`: whose memory it has, by default its own; `terminal`: where it asks its user."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith('BLE_')}
        # Whatever adapter this machine has: what a test does not name is the radio.
        environment['BLE_ADAPTER'] = 'radio'
        # Each program is a device of its own, with a memory of its own.
        environment['XDG_STATE_HOME'] = str(self.folder / f'{device or name}-state')
        environment['XDG_RUNTIME_DIR'] = self._runtime
        environment['NO_COLOR'] = '1'
        environment['PYTHONPATH'] = str(HERE.parent)
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
            limit=1 << 20,
            # Nothing is asked on the terminal that the tests were started from.
            start_new_session=True,
            preexec_fn=terminal and terminal.take,
        )
        running = Process(list(command), process, self.folder / f'{name}.log')
        self._running.append(running)
        return running

    async def ble(self, name, *arguments, **options):
        """The tool, with these arguments."""
        return await self.start(name, TOOL, *arguments, **options)

    async def bumble_controllers(self, count=2):
        """The ports of controllers of Bumble on one link."""
        program = await self.start('controllers', sys.executable, '-m', 'peers.bumble_controllers', str(count))
        return json.loads(await program.line(lambda line: line.startswith('['), 'the ports'))
