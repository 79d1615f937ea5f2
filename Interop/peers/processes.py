"""Programs that a test starts, reads line by line, and ends by their own ids."""

import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile

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


class Processes:
    """All programs of one test: none outlives it. What they said is kept in the test's folder."""

    def __init__(self, folder):
        self.folder = folder
        self._running = []
        # Where an air has its sockets: nobody else's, and short, because the path of a socket may not be long.
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

    async def start(self, name, *command):
        environment = {key: value for key, value in os.environ.items() if not key.startswith('BLE_')}
        # Each program is a device of its own, with a memory of its own.
        environment['XDG_STATE_HOME'] = str(self.folder / f'{name}-state')
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
        )
        running = Process(list(command), process, self.folder / f'{name}.log')
        self._running.append(running)
        return running

    async def ble(self, name, *arguments):
        """The tool, with these arguments."""
        return await self.start(name, TOOL, *arguments)

    async def bumble_controllers(self, count=2):
        """The ports of controllers of Bumble on one link."""
        program = await self.start('controllers', sys.executable, '-m', 'peers.bumble_controllers', str(count))
        return json.loads(await program.line(lambda line: line.startswith('['), 'the ports'))
