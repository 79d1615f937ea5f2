"""Programs of this machine that a test starts, reads, and ends by their own ids."""

import fcntl
import json
import os
import re
import subprocess
import termios
import time

from guest import Failure


def wait_until(condition, what, seconds=60):
    """Gives what `condition` gives as soon as that is something. `what` is words, or a function that has them."""
    until = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > until:
            raise Failure(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.05)
    return value


class Terminal:
    """A pseudo-terminal that a program asks its user on, while its output goes elsewhere."""

    def __init__(self):
        self._ours, self.theirs = os.openpty()
        os.set_blocking(self._ours, False)
        self.text = ""

    def take(self):
        """In the new process, whose session has no terminal yet."""
        fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0)

    def _shown(self, pattern):
        try:
            self.text += os.read(self._ours, 4096).decode(errors="replace")
        except BlockingIOError:
            pass
        return re.search(pattern, self.text)

    def answer(self, pattern, line):
        """Waits until `pattern` is shown, types `line` and gives the match."""
        match = wait_until(lambda: self._shown(pattern), lambda: f"'{pattern}' on the terminal, which shows '{self.text}'")
        self.text = self.text[match.end():]
        os.write(self._ours, f"{line}\n".encode())
        return match

    def close(self):
        os.close(self._ours)
        os.close(self.theirs)


class Running:
    """A running program. Its output is in the file `log`."""

    def __init__(self, command, log, environment, input=None, terminal=None, output=None):
        self.log = log
        self.command = " ".join(map(str, command))
        log.write_text(f"$ {self.command}\n")
        with log.open("ab") as file, (output or log).open("ab") as standard_output:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=input or subprocess.DEVNULL, stdout=standard_output, stderr=file,
                env=environment, start_new_session=True, preexec_fn=terminal and terminal.take)

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    def events(self, name, **members):
        """What it has told as lines of JSON so far, of that name and with these members."""
        return [event for event in self.documents() if event.get("event") == name
                and all(event.get(key) == value for key, value in members.items())]

    def documents(self):
        """The lines of JSON that it has told."""
        complete = self.text.rpartition("\n")[0].splitlines()
        return [json.loads(line) for line in complete if line.startswith("{")]

    def document(self):
        """Its only one."""
        [document] = self.documents()
        return document

    def _waited(self, condition, what, seconds):
        def met():
            value = condition()
            if not value and self.process.poll() is not None and not (value := condition()):
                raise Failure(f"{self.command}: ended with {self.process.returncode} before {what}:\n{self.text[-3000:]}")
            return value

        return wait_until(met, lambda: f"{what} from {self.command}, which said:\n{self.text[-3000:]}", seconds)

    def wait_for(self, text, seconds=60, count=1):
        """Waits until it has said `text`, so often, and gives all that it has said."""
        self._waited(lambda: self.text.count(text) >= count, f"'{text}'", seconds)
        return self.text

    def event(self, name, count=1, seconds=60, **members):
        """Waits for the `count`th event of that name with these members, and gives it."""
        self._waited(lambda: len(self.events(name, **members)) >= count, f"event {count} '{name}' {members}", seconds)
        return self.events(name, **members)[count - 1]

    def send(self, text):
        """Gives it to its standard input, which has to be a pipe."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def end_input(self):
        self.process.stdin.close()

    def finish(self, seconds=120):
        """Waits for its own end; gives the exit status."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired as expired:
            raise Failure(f"{self.command}: no end within {seconds} s; it said:\n{self.text[-3000:]}") from expired

    def kill(self):
        """Ends it as a crash does, if it has not ended."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        """Ends it, if it has not ended."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode
