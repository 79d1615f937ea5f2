"""bluetoothd in the guest as a test sees it: what guest/driver.py is asked for there, and what it tells."""

import json
import time

from guest import Failure


class Refused(Failure):
    """bluetoothd has answered with an error; `name` is D-Bus's."""

    def __init__(self, name, text, what):
        super().__init__(f"{what}: {name}: {text}")
        self.name = name


class Daemon:
    """A program in the guest that is bluetoothd's client, agent and application. All tests share one, because its start takes
    seconds in a guest."""

    def __init__(self, guest):
        self.command = guest.start("exec python3 /lab/driver.py 2>&1")
        self.number = 0
        self.answers = {}
        self.told = []
        self.read = 0
        self.event("ready", seconds=300)

    def _take(self):
        """Looks at the lines that have come."""
        *lines, _ = self.command.output[self.read:].split(b"\n")
        for line in lines:
            self.read += len(line) + 1
            if not line.startswith(b"{"):
                continue
            told = json.loads(line)
            if "number" in told:
                self.answers[told["number"]] = told
            else:
                self.told.append(told)

    def _wait(self, condition, what, seconds):
        until = time.monotonic() + seconds
        while True:
            self._take()
            if (value := condition()) is not None:
                return value
            if self.command.status is not None:
                raise Failure(f"the driver in the guest has ended before {what}:\n{self.command.text[-3000:]}")
            if time.monotonic() > until:
                raise Failure(f"not within {seconds} s: {what}; bluetoothd's driver said:\n{self.command.text[-3000:]}")
            self.command.receive(until)

    def start(self, verb, **arguments):
        """Asks for something; its answer is waited for with `finish`."""
        self.number += 1
        request = {"number": self.number, "verb": verb, **arguments}
        self.command.send(json.dumps(request) + "\n")
        return self.number, f"{verb} {arguments}"

    def finish(self, started, seconds=120):
        """The answer to what was started."""
        number, what = started
        answer = self._wait(lambda: self.answers.pop(number, None), what[:200], seconds)
        if "error" in answer:
            raise Refused(answer["error"], answer["text"], what[:200])
        return answer["answer"]

    def call(self, verb, seconds=120, **arguments):
        return self.finish(self.start(verb, **arguments), seconds)

    def events(self, name, **members):
        """All that was told under that name with these members and not yet taken by `event`."""
        self._take()
        return [one for one in self.told if one["event"] == name and all(one.get(key) == value for key, value in members.items())]

    def event(self, name, seconds=60, **members):
        """Waits for the first event of that name with these members, and takes it."""
        def first():
            return next(iter(self.events(name, **members)), None)

        found = self._wait(first, f"event '{name}' {members}", seconds)
        self.told.remove(found)
        return found

    def count(self, name, number, seconds=60, **members):
        """Waits until so many events have come, and gives them."""
        def enough():
            found = self.events(name, **members)
            return found if len(found) >= number else None

        try:
            return self._wait(enough, f"{number} events '{name}'", seconds)
        except Failure as failure:
            raise Failure(f"{len(self.events(name, **members))} came: {failure}") from failure

    def connect(self, name):
        """Finds a device, connects, and gives its tree: services with their characteristics."""
        self.call("find", device=name)
        # The driver tries again where bluetoothd refuses, or never answers.
        tree = self.call("connect", 300, device=name)
        if tree == "lost":
            raise Failure(f"the link to {name} was lost before its services were known")
        return tree

    def reset(self):
        """Ends what a test has left: bluetoothd removes the devices it has seen with their keys, and all that was registered."""
        try:
            self.call("forget")
            self.call("begin")
        except Exception:
            self.close()
            raise
        self._take()
        self.told.clear()
        self.answers.clear()

    def close(self):
        self.command.end_input()
        self.command.wait()
