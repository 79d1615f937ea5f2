"""L2CAP channels between ours and the kernel's sockets, both ways at once."""

import os
import subprocess

import pytest

from programs import wait_until
from steps import serve

# Each way. A link on LE 1M carries about 90,000 octets a second in all, here as on the air: this takes four minutes.
LENGTH = int(os.environ.get("BLE_VM_CHANNEL_OCTETS", 10_000_000))
# The channel of the kernel's; any number of 128 and above is free to use.
PSM = 0x81
PSM_CHARACTERISTIC = "abdd3056-28fa-441d-a470-55a75a52553a"


class Pipes:
    """What goes either way, in files; the guest sees them in /host."""

    def __init__(self, lab, length=LENGTH):
        self.folder = lab.share
        self.length = length
        self.feeder = None
        self.outwards, self.inwards = os.urandom(length), os.urandom(length)
        (self.folder / "outwards").write_bytes(self.outwards)
        (self.folder / "inwards").write_bytes(self.inwards)
        self.came_out, self.came_in = self.folder / "came-out", self.folder / "came-in"
        for path in (self.came_out, self.came_in):
            path.write_bytes(b"")

    def input(self):
        """Our side's standard input, which does not end behind the octets: that would end the channel."""
        self.feeder = subprocess.Popen(["cat", self.folder / "inwards", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self.feeder.stdout

    def wait(self, program, command):
        """Until all has come, both ways. How long that takes is the emulation's business, as long as more comes."""
        seen = -1
        while (come := self.came_out.stat().st_size + self.came_in.stat().st_size) < 2 * self.length:
            assert program.process.poll() is None, program.text
            assert come > seen, f"nothing more comes after {come} octets: {program.text}{command.text}"
            seen = come
            try:
                wait_until(lambda: self.came_out.stat().st_size + self.came_in.stat().st_size > seen, "more octets", 60)
            except Exception as failure:
                raise AssertionError(f"after {come} octets: {failure}; {program.text}; {command.text}") from failure
        assert self.came_out.read_bytes() == self.outwards
        assert self.came_in.read_bytes() == self.inwards

    def close(self):
        if self.feeder:
            self.feeder.kill()
            self.feeder.wait()
        for path in ("outwards", "inwards", "came-out", "came-in"):
            (self.folder / path).unlink()


@pytest.fixture
def pipes(cell):
    pipes = Pipes(cell.lab)
    yield pipes
    pipes.close()


@pytest.mark.rows("R3.11")
def test_the_kernel_opens_our_channel(cell, pipes):
    program = cell.start("l2cap", "listen", "--name", cell.name, with_json=False, input=pipes.input(), output=pipes.came_out)
    program.wait_for("Advertising as")
    cell.daemon.connect(cell.name)
    device = cell.daemon.call("device", device=cell.name)
    psm = cell.daemon.call("read", device=cell.name, characteristic=PSM_CHARACTERISTIC)
    number = int.from_bytes(bytes.fromhex(psm), "little")
    command = cell.lab.guest.start(f"exec /lab/channel connect {device['Address']} {device['AddressType']} {number} "
                                   "</host/outwards 2>&1 >/host/came-in")
    command.wait_for("channel: open")
    pipes.wait(program, command)
    command.interrupt()
    assert program.finish() == 0, program.text


@pytest.mark.rows("R3.11")
def test_we_open_a_channel_of_the_kernel(cell, pipes):
    name = serve(cell, {"fff2": {"flags": ["read"]}})
    command = cell.lab.guest.start(f"exec /lab/channel listen {PSM} </host/outwards 2>&1 >/host/came-in")
    command.wait_for("channel: listening")
    program = cell.start("l2cap", "connect", name, "--psm", str(PSM), "--timeout", "90", with_json=False,
                         input=pipes.input(), output=pipes.came_out)
    command.wait_for("channel: open")
    pipes.wait(program, command)
    command.interrupt()
    assert program.finish() == 0, program.text
