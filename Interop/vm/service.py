"""Services of systemd's in the guest, in the hands of a test."""

import json
import re
import shlex

from programs import wait_until

# dpkg and what it starts are Debian's: the guest's shell has programs of its own by these names.
DEBIAN = "/usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive"


def install(lab):
    """Installs the package, or installs it again."""
    lab.guest.run("mkdir -p /etc/ld.so.conf.d; echo /programs/lib >/etc/ld.so.conf.d/swift.conf; /usr/sbin/ldconfig")
    status, said = lab.guest.run(f"{DEBIAN} /usr/bin/dpkg -i /host/ble.deb 2>&1 | grep -v 'files list file for'", 120)
    assert "Setting up ble" in said and "rror" not in said, f"{status}: {said}"


def span(text):
    """Seconds of what systemd prints as a span of time, such as "1min 2.500s"."""
    units = {"min": 60, "s": 1, "ms": 1e-3, "us": 1e-6}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)(min|ms|us|s)", text))


class Service:
    """A unit that the package has brought."""

    def __init__(self, lab, name):
        self.lab = lab
        self.name = name

    def run(self, line, seconds=60):
        status, said = self.lab.guest.run(line, seconds)
        assert status == 0, f"{line}: exit {status}: {said}\n{self.said()[-3000:]}"
        return said

    def control(self, verb):
        """`systemctl start` and others."""
        self.run(f"systemctl {verb} {self.name} 2>&1", 120)

    def shown(self, *properties):
        """What systemd says of it."""
        lines = self.run(f"systemctl show {self.name} -p {','.join(properties)}").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    @property
    def pid(self):
        """0 where it does not run."""
        shown = self.shown("MainPID", "ActiveState")
        return int(shown["MainPID"]) if shown["ActiveState"] == "active" else 0

    def process_status(self):
        lines = self.run(f"cat /proc/{self.pid}/status").splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def kill(self, signal):
        self.run(f"systemctl kill --signal={signal} {self.name}")

    def drop_in(self, text):
        """Changes the unit, or takes the change back."""
        folder = f"/etc/systemd/system/{self.name}.service.d"
        if text is None:
            change = f"rm -r {folder}"
        else:
            # A command line has no line feeds.
            unit = shlex.quote("[Service]\\n" + text.replace("\n", "\\n"))
            change = f"mkdir -p {folder}; printf %b {unit} >{folder}/test.conf"
        self.run(f"{change}; systemctl daemon-reload")

    def said(self, *words):
        """Its lines in the journal. `words` are others of journalctl's."""
        return self.lab.guest.run(f"journalctl --sync; journalctl -u {self.name} --no-pager -o cat {' '.join(words)}")[1]

    def entries(self, *words):
        """Its lines in the journal with all their fields."""
        said = self.lab.guest.run(f"journalctl --sync; journalctl -u {self.name} --no-pager -o json {' '.join(words)}")[1]
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def wait_for(self, text, count=1):
        wait_until(lambda: self.said().count(text) >= count, lambda: f"'{text}' from {self.name}, which said\n{self.said()[-3000:]}")

    def write(self, path, text):
        self.run(f"printf %s {shlex.quote(text)} >{path}")

    # A recorder with --json

    def events(self, lines=2000):
        return [json.loads(line) for line in self.said("-n", str(lines)).splitlines() if line.startswith("{")]

    def committed(self):
        """The last session that has told of transactions, and how many values it said are safe."""
        [*_, last] = [event for event in self.events() if event["event"] == "committed"]
        return last["session"], last["values"]

    def rows(self, file, session):
        """The values of a session in the file, by their numbers."""
        found = json.loads(self.run(f"python3 /lab/recording.py {file} {session}", 120))
        assert found["damage"] == []
        return found["values"]

    def wait_for_values(self, names, seconds=120):
        """Until the process that runs now has connected all of them, and has values in the file."""
        def met():
            # Of this process alone: what one before has said is in the journal too.
            said = self.lab.guest.run(f"journalctl --sync; journalctl _PID={self.pid} --no-pager -o cat")[1]
            events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
            connected = {event["name"] for event in events if event["event"] == "connected"}
            return set(names) <= connected and any(event["event"] == "committed" and event["values"] > 0 for event in events)

        wait_until(met, lambda: f"{names} are recorded by {self.name}, which said\n{self.said()[-3000:]}", seconds)
