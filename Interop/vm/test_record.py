"""`ble record` of three devices in the guest, while bluetoothd is killed and the adapter is pulled out, at random moments: everything comes
back by itself, and what was once in the file stays there.

BLE_VM_KILLS and BLE_VM_REMOVALS say how often (50 and 20; less in brief runs, see run.py), BLE_VM_SEED repeats a run.
"""

import json
import os
import random
import time

import pytest

from guest import Failure
from hotplug import HotPlug
from programs import wait_until

KILLS = int(os.environ.get("BLE_VM_KILLS", "50"))
REMOVALS = int(os.environ.get("BLE_VM_REMOVALS", "20"))
SEED = int(os.environ.get("BLE_VM_SEED", random.randrange(1 << 32)))
NAMES = ["Wrist", "Chest", "Bicycle"]
FILE = "/tmp/ride.sqlite"
# Seconds: bluetoothd gives up an attempt to connect after 41, and may need a second one.
PATIENCE = 240


@pytest.fixture(scope="module")
def three(lab, tmp_path_factory):
    """Three devices outside that number their notifications; they run from the first fault to the last."""
    servers = []
    for name in NAMES:
        profile = tmp_path_factory.mktemp(name) / "profile.json"
        profile.write_text(json.dumps({"name": name, "services": [{"uuid": "FFF0", "characteristics": [
            {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.25, "values": [{"utf8": name + " {n}"}]}}]}]}))
        servers.append(lab.outside("serve", profile, "--adapter", f"radio:vm/{name}", "--json"))
    for server in servers:
        server.event("advertising")
    yield servers
    for server in servers:
        server.stop()


class Recorder:
    """The one recorder of a test; everything that it has told is looked at as it comes."""

    def __init__(self, lab, adapter):
        self.lab = lab
        lab.guest.run(f"rm -f {FILE}*")
        self.command = lab.start("record", *NAMES, FILE, "--json", "--adapter", adapter)
        self.read = 0
        self.connected = dict.fromkeys(NAMES, 0)
        self.is_connected = dict.fromkeys(NAMES, False)
        self.session = None
        self.committed = {"values": 0, "entries": 0, "dropped": 0}
        # What was in the file once, by the rows' numbers.
        self.rows = {}

    def take(self):
        """Looks at the lines that have come."""
        *lines, _ = self.command.output[self.read:].split(b"\n")
        for line in lines:
            self.read += len(line) + 1
            told = json.loads(line) if line.startswith(b"{") else {}
            match told.get("event"):
                case "recording": self.session = told["session"]
                case "connected":
                    self.connected[told["name"]] += 1
                    self.is_connected[told["name"]] = True
                case "disconnected": self.is_connected[told["name"]] = False
                case "committed" | "recorded":
                    assert told["values"] >= self.committed["values"] and told["dropped"] == 0, told
                    self.committed = told

    def wait(self, condition, what, seconds=PATIENCE):
        until = time.monotonic() + seconds
        while True:
            self.take()
            if condition():
                return
            if self.command.status is not None:
                raise Failure(f"the recorder has ended with {self.command.status} before {what}:\n{self.said}")
            if time.monotonic() > until:
                raise Failure(f"not within {seconds} s: {what}; the recorder said:\n{self.said}")
            self.command.receive(time.monotonic() + 0.2)

    @property
    def said(self):
        """What it told but for the transactions."""
        lines = [line for line in self.command.text.splitlines() if '"committed"' not in line]
        return "\n".join(lines[-40:])

    def pass_time(self, seconds):
        """Takes what is told meanwhile."""
        until = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() >= until, "the pause is over")

    def wait_for_all(self, since):
        """Until each device has been connected again since then, and values of each that came by those connections are in the file."""
        self.wait(lambda: all(self.is_connected[name] and self.connected[name] > since[name] for name in NAMES),
                  f"all are connected again; {self.connected} of which {since} before; {self.is_connected}")
        # Two numbers of its own more than now, so that one was sent after that.
        counts = self.counts()
        until = time.monotonic() + PATIENCE
        while any(count < counts[name] + 2 for name, count in self.counts().items()):
            if time.monotonic() > until:
                raise Failure(f"no values of each after they were connected again: {self.counts()}; before {counts}\n{self.said}")
            self.pass_time(1)

    def counts(self):
        """How many values of each device are in the file."""
        values = self.look()["values"]
        return {name: sum(1 for _, device, _ in values if device == name) for name in NAMES}

    def look(self):
        """What is in the file, which must have all that ever was."""
        promised = self.committed["values"]
        status, output = self.lab.guest.run(f"python3 /lab/recording.py {FILE} {self.session}", 120)
        assert status == 0, output
        found = json.loads(output)
        assert found["damage"] == []
        rows = {number: (device, text) for number, device, text in found["values"]}
        assert len(rows) >= promised, f"{promised} values were committed, {len(rows)} are there"
        lost = [(number, row) for number, row in self.rows.items() if rows.get(number) != row]
        assert lost == [], f"rows that were in the file are not there, or are others: {lost[:5]}"
        self.rows = rows
        self.check(rows)
        return found

    @staticmethod
    def check(rows):
        """A device counts on whoever listens: its numbers rise, and none comes twice."""
        last = {}
        for _, (device, text) in sorted(rows.items()):
            name, number = text.split()
            assert name == device, f"{device} has a value of {name}"
            assert int(number) > last.get(device, 0), f"{device}: {number} behind {last[device]}"
            last[device] = int(number)

    def end(self):
        status, _ = self.command.interrupt(120)
        self.take()
        assert status in (0, 130), self.said
        found = self.look()
        assert found["ending"] == "ended" and len(found["values"]) == self.committed["values"]
        status, output = self.lab.ble("history", FILE, "--json", seconds=120)
        assert status == 0 and json.loads(output)["values"] == len(found["values"]), output


class Faults:
    """So many faults at moments that the seed chooses: most of them when all is well, some while it is on the way back. The recorder ends
    with it."""

    def __init__(self, lab, adapter, number, seed):
        self.chance = random.Random(f"{seed}-{adapter}")
        print(f"BLE_VM_SEED={seed}: {number} faults on {adapter}", flush=True)
        self.number = number
        self.recorder = Recorder(lab, adapter)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Nothing where it has ended as it should.
        self.recorder.lab.guest.run("left=$(grep -lx ble /proc/[0-9]*/comm | cut -d/ -f3); [ -z \"$left\" ] || kill -KILL $left")

    def run(self, fault):
        recorder = self.recorder
        recorder.wait_for_all(dict.fromkeys(NAMES, 0))
        start = time.monotonic()
        for number in range(1, self.number + 1):
            recorder.pass_time(self.chance.uniform(0, 3))
            before = dict(recorder.connected)
            fault()
            if number < self.number and self.chance.random() < 0.3:
                # The next one comes into the recovery from this.
                print(f"fault {number}: {time.monotonic() - start:.1f} s; not waited for", flush=True)
                recorder.pass_time(self.chance.uniform(0, 6))
                continue
            begun = time.monotonic()
            recorder.wait_for_all(before)
            print(f"fault {number}: {time.monotonic() - start:.1f} s; all back after {time.monotonic() - begun:.1f} s, "
                  f"{len(recorder.rows)} values", flush=True)
        recorder.end()


def process(lab, name):
    return lab.guest.run(f"pidof {name}")[1].strip()


def still_runs(servers):
    return all(server.process.poll() is None for server in servers)


@pytest.mark.rows("R0.15")
@pytest.mark.ground("bluez")
def test_i12_5_bluetoothd_is_killed_while_three_devices_are_recorded(lab, three):
    def kill():
        victim = wait_until(lambda: process(lab, "bluetoothd"), "bluetoothd runs")
        assert lab.guest.run(f"kill -KILL {victim}")[0] == 0

    with Faults(lab, "bluez", KILLS, SEED) as faults:
        faults.run(kill)
    assert still_runs(three)


@pytest.mark.rows("R0.15")
@pytest.mark.parametrize("adapter", [pytest.param("hci", marks=pytest.mark.ground("hci")),
                                     pytest.param("bluez", marks=pytest.mark.ground("bluez"))])
def test_i12_5_the_adapter_is_pulled_out_while_three_devices_are_recorded(lab, three, adapter):
    adapters = HotPlug(lab)
    daemon = process(lab, "bluetoothd")
    try:
        with Faults(lab, adapter, REMOVALS, SEED) as faults:
            def pull():
                adapters.unplug()
                faults.recorder.pass_time(faults.chance.uniform(0, 3))
                adapters.plug()

            faults.run(pull)
    finally:
        adapters.plug()
    assert process(lab, "bluetoothd") == daemon and still_runs(three)
    adapters.wait_until_powered()
