"""The tool in the guest pairs by way of bluetoothd, which asks the tool's own agent: what is shown and typed there is on a terminal in the guest. The
other device is ours, outside on the radio."""

import json
import re
import time

import pytest

from peers.methods import methods
from steps import GUARDED, SECRET, ours

# Those with something to show or to type; the others are in test_bluez_peripheral.py and test_rows.py.
METHODS = [method for method in methods() if method.is_authenticated and method.name != "out-of-band"]
COMPARISON = r"show ([0-9]{6})\? \[y/N\]"
ENTRY = "[Pp]asskey|digits"


class InTerminal:
    """The tool in the guest, in front of a terminal of its own."""

    def __init__(self, lab, *words):
        self.lab = lab
        # socat does not give the status of what it runs.
        (lab.share / "asked.sh").write_text(f"export LD_LIBRARY_PATH=/programs/lib HOME=/tmp NO_COLOR=1; "
                                            f"/programs/ble {' '.join(words)} --adapter bluez --json; echo ended $?\n")
        self.command = lab.guest.start("exec socat - EXEC:'sh /host/asked.sh',pty,ctty,setsid,stderr,echo=0")
        self.read = 0

    def shown(self, pattern, seconds=90):
        """The next that matches."""
        until = time.monotonic() + seconds
        while not (match := re.search(pattern, self.command.text[self.read:])):
            assert self.command.status is None, self.command.text
            self.command.receive(until)
        self.read += match.end()
        return match

    def type(self, line):
        self.command.send(f"{line}\n")

    def wait(self):
        self.shown("ended 0")

    def end(self):
        self.lab.guest.run("left=$(grep -lx ble /proc/[0-9]*/comm | cut -d/ -f3); [ -z \"$left\" ] || kill -INT $left")
        self.shown("ended (0|130)")


def act(cell, method, inside, outside):
    """What both users do."""
    if method.name == "passkey-of-ours":
        passkey = json.loads(inside.shown(r'\{[^\n]*"event":"passkey".*?\}\r?\n')[0])["passkey"]
        cell.terminal.answer(ENTRY, passkey)
    elif method.name == "passkey-of-theirs":
        passkey = outside.event("passkey")["passkey"]
        inside.shown(ENTRY)
        inside.type(passkey)
    else:
        number = inside.shown(COMPARISON)[1]
        assert cell.terminal.answer(COMPARISON, "y")[1] == number
        inside.type("y")


@pytest.mark.rows("R3.5")
@pytest.mark.ground("bluez")
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_i12_2_the_agent_answers_for_a_central(cell, method):
    cell.secure_connections(method.is_secure)
    server = cell.serve(ours(GUARDED), "--io", method.theirs, asks=True)
    inside = InTerminal(cell.lab, "pair", cell.name, *method.ours, "--timeout", "90")
    act(cell, method, inside, server)
    inside.wait()
    report = server.event("paired")
    assert (report["method"], report["bonded"]) == (method.word, True)
    status, output = cell.lab.ble("read", cell.name, "FFF3", "--adapter", "bluez", seconds=120)
    assert status == 0 and f'"{SECRET}"' in output
    assert len(server.events("paired")) == 1


@pytest.mark.rows("R3.5")
@pytest.mark.ground("bluez")
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_i12_2_the_agent_answers_for_a_peripheral(cell, method):
    cell.secure_connections(method.is_secure)
    name = f"Guest{cell.name}"
    (cell.lab.share / "guarded.json").write_text(json.dumps({"name": name, "services": ours(GUARDED)}))
    inside = InTerminal(cell.lab, "serve", "/host/guarded.json", *method.ours)
    inside.shown('"event":"advertising"')
    outside = cell.start("pair", name, "--level", method.level, "--io", method.theirs, "--timeout", "90", asks=True)
    act(cell, method, inside, outside)
    assert outside.finish() == 0, outside.text
    report = outside.events("paired")[-1]
    assert (report["method"], report["level"], report["bonded"]) == (method.word, method.level, True)
    assert cell.run("read", name, "FFF3").document()["value"]["utf8"] == SECRET
    inside.end()


@pytest.mark.ground("bluez")
def test_i12_2_a_comparison_that_the_user_denies_ends_the_pairing(cell):
    server = cell.serve(ours(GUARDED), "--io", "display-yes-no", asks=True)
    inside = InTerminal(cell.lab, "pair", cell.name, "--io", "display-yes-no", "--timeout", "90")
    inside.shown(COMPARISON)
    inside.type("n")
    inside.shown("ended [1-9]")
    server.event("pairing-failed")
    assert not server.events("paired")
