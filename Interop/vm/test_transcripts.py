"""What the tool's commands say in the guest, on the user channel and by the daemon, beside what is kept in transcripts/.

BLE_VM_TRANSCRIPTS=write writes them, to be read before they are committed. They are the same for all suites: what differs from run to run
(addresses, signal, times, versions, counts of what comes by the clock) stands there by its name.
"""

import contextlib
import difflib
import json
import os
import pathlib
import re
import subprocess

import pytest

from hotplug import HotPlug

HERE = pathlib.Path(__file__).resolve().parent
WRITES = os.environ.get("BLE_VM_TRANSCRIPTS") == "write"
# Longer than a packet of the smallest MTU.
FIXED = "A value that takes more than one packet."
LAMP = {"name": "Lamp", "services": [
    {"uuid": "FFF0", "characteristics": [
        {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.2, "values": [{"utf8": "send data : {n}"}]}},
        {"uuid": "FFF2", "properties": ["read", "writeWithoutResponse", "write"], "value": {"utf8": "hello"},
         "descriptors": [{"uuid": "2901", "value": {"utf8": "name"}}]}]},
    {"uuid": "FFE0", "characteristics": [
        {"uuid": "FFE1", "properties": ["read"], "value": {"utf8": FIXED}},
        {"uuid": "FFE2", "properties": ["indicate"], "notify": {"every": 0.2, "values": [{"utf8": "confirm : {n}"}]}}]}]}
DOOR = {"name": "Door", "services": [{"uuid": "FFD0", "characteristics": [
    {"uuid": "FFD1", "properties": ["read"], "permissions": ["readEncryptionRequired"], "value": {"utf8": "closed"}}]}]}
CHANGING = [
    (r"\b[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\b", "<identifier>"),
    (r"\b([0-9A-F]{2}:){5}[0-9A-F]{2}\b", "<address>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", "<time>"),
    (r" *-\d+ dBm [▁-█]+ +smoothed -[\d.]+ dBm", " <signal>"),
    (r" *-\d+ dBm", " <signal>"),
    (r"\bprocess \d+", "process <number>"),
    (r'"(send data|confirm) : \d+" \([0-9a-f]+\)', r'"\1 : <number>" (<octets>)'),
    (r"(Linux|BlueZ|OpenSSL|SQLite|ble) \d+\.\d[\w.+~-]*( \d+ \w+ \d{4})?( \(Library: .*?\))?", r"\1 <version>"),
    (r"\b\d+ entries, \d+ of them values", "<number> entries, <number> of them values"),
    (r"\battempt \d+, \d+ s left", "attempt <number>, <number> s left"),
    (r"\b\d+(\.\d+)? s\b(, \d+ octets/s)?(?=\.)", "<number> s"),
]


def normal(text):
    """The lines of an output with names for what changes."""
    for pattern, name in CHANGING:
        text = re.sub(pattern, name, text)
    # Which of two was heard first is chance.
    text = re.sub(r"(?<=Heard: )(.*)\.$", lambda match: ", ".join(sorted(match[1].split(", "))) + ".", text, flags=re.MULTILINE)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


class Transcript:
    def __init__(self, lab, adapter):
        self.lab = lab
        self.adapter = adapter
        self.home = f"/tmp/home-{adapter}"
        self.lines = []

    def line(self, words, before, adapter):
        # On a busy machine everything takes longer; what comes in time is not waited for.
        options = (f" --adapter {self.adapter}" if adapter else "") + ("" if "--timeout" in words else " --timeout 60")
        return (f"mkdir -p {self.home}; export LD_LIBRARY_PATH=/programs/lib HOME={self.home} TERM=dumb; "
                f"{before} /programs/ble {words}{options} 2>&1")

    def run(self, words, before="", adapter=True):
        status, output = self.lab.guest.run(self.line(words, before, adapter), 240)
        self.lines += [f"$ {before} ble {words}".replace("  ", " "), *normal(output), f"(status {status})", ""]

    @contextlib.contextmanager
    def running(self, words, ready, in_order=True, ends=False):
        """A command that is ended by Ctrl-C when it has said what it is to say, as often as there is time for, or `ends` by itself."""
        command = self.lab.guest.start(self.line(words, "exec", True))
        command.wait_for(ready, 240)
        yield command
        status, output = command.wait(240) if ends else command.interrupt(240)
        lines = list(dict.fromkeys(normal(output)))
        how = "" if ends else " after Ctrl-C"
        self.lines += [f"$ ble {words}", *(lines if in_order else sorted(lines)), f"(status {status}{how})", ""]

    def compare(self):
        path = HERE / "transcripts" / f"{self.adapter}.txt"
        text = "\n".join(self.lines)
        if WRITES:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            return
        kept = path.read_text()
        difference = "\n".join(difflib.unified_diff(kept.splitlines(), text.splitlines(), str(path), "this run", lineterm=""))
        assert not difference, difference


@pytest.fixture(scope="module")
def devices(lab, tmp_path_factory):
    """What the commands talk to, outside."""
    folder = tmp_path_factory.mktemp("devices")
    servers = []
    for profile in (LAMP, DOOR):
        path = folder / f"{profile['name']}.json"
        path.write_text(json.dumps(profile))
        # Devices of their own: a door that other tests have paired with asks before it replaces the keys.
        air = lab.air.adapter(f"Transcript{profile['name']}")
        servers.append(lab.outside("serve", path, "--io", "no-input-no-output", "--adapter", air))
    for server in servers:
        server.wait_for("Advertising")
    yield servers
    for server in servers:
        server.stop()


@pytest.mark.parametrize("adapter", [pytest.param("hci", marks=pytest.mark.ground("hci")),
                                     pytest.param("bluez", marks=pytest.mark.ground("bluez"))])
def test_i12_transcripts(lab, devices, adapter):
    HotPlug(lab).wait_until_powered()
    lamp, _ = devices
    talk = Transcript(lab, adapter)
    talk.run("adapters", adapter=False)
    talk.run("scan --name Lamp --count 1 --duration 120")
    talk.run("explore Lamp")
    talk.run("read Lamp FFE1")
    talk.run("read Lamp FFF7")
    talk.run("read Nowhere FFF2 --timeout 8")
    talk.run("write Lamp FFF2 transcript")
    talk.run("write Lamp FFF2 quick --without-response")
    lamp.wait_for('written FFF2 "quick"')
    talk.run("read Lamp FFF2")
    talk.run("write Lamp FFE1 never")
    talk.run("write Lamp FFF2 hello")
    talk.run("subscribe Lamp FFF1 --count 2")
    talk.run("subscribe Lamp FFE2 --count 2")
    talk.run("subscribe Lamp FFE1 --count 2")
    with talk.running("watch Lamp --lines --characteristic FFF1", "send data", in_order=False) as watch:
        watch.wait_for("smoothed", 240)
    lab.guest.run("rm -f /tmp/lamp.sqlite*")
    with talk.running("record Lamp /tmp/lamp.sqlite --subscribe FFF1", "Connected to"):
        lamp.wait_for("notified FFF1", 240, lamp.text.count("notified FFF1") + 20)
    talk.run("history /tmp/lamp.sqlite connections --csv", adapter=False)
    talk.run("history /tmp/lamp.sqlite values --last 1", adapter=False)
    talk.run("pair Door")
    talk.run("pair Door")
    talk.run("read Door FFD1")
    talk.run("bonds list")
    talk.run("unpair Door")
    talk.run("bonds list")
    listener = lab.outside("l2cap", "listen", "--name", "Pipe", "--adapter", "radio:vm/Pipe")
    listener.wait_for("Advertising")
    talk.run("l2cap connect Pipe", before="echo from the guest |")
    assert listener.finish() == 0 and "from the guest" in listener.text, listener.text
    talk.run("l2cap connect Lamp --psm 0x90", before="echo nothing |")
    with talk.running("l2cap listen --name Well", "Advertising", ends=True) as listening:
        bucket = lab.outside("l2cap", "connect", "Well", "--timeout", "90", "--adapter", "radio:vm/Bucket")
        listening.wait_for("A channel from", 240)
        bucket.stop()
    with talk.running("serve owenli", "Advertising") as server:
        for words in (["read", "Owenli", "FFF2"], ["write", "Owenli", "FFF2", "outside"], ["subscribe", "Owenli", "FFF1", "--count", "1"]):
            program = lab.outside(*words, "--timeout", "60", "--adapter", "radio:vm/reader")
            assert program.finish(240) == 0, program.text
        server.wait_for("unsubscribed", 120)
    other = lab.outside("chat", "--name", "Outside", "--central", "--adapter", "radio:vm/talker", input=subprocess.PIPE)
    talk.run("chat --name Guest --peripheral", before="echo hello from the guest |")
    other.wait_for("hello from the guest")
    other.stop()
    # When everything that it looks at is there.
    talk.run("doctor")
    talk.compare()
