"""The tool in the guest with L2CAP channels on the adapter that bluetoothd has: the kernel's sockets on the daemon's links."""

import pytest

import test_matrix_channel
from programs import Running
from test_matrix_channel import Pipes

# Each way: less than in the matrix, where the kernel's own sockets are at both ends of nothing but a pipe.
LENGTH = min(test_matrix_channel.LENGTH, 500_000)


@pytest.fixture
def pipes(lab):
    pipes = Pipes(lab, LENGTH)
    yield pipes
    pipes.close()


def outside(lab, name, pipes, *words):
    """The tool outside as a device of that name, whose channel is between two files."""
    program = Running([lab.tool, "l2cap", *words, "--adapter", f"radio:vm/{name}"], lab.folder / f"channel-{name}.log",
                      lab.environment, input=pipes.input(), output=pipes.came_out)
    lab.programs.append(program)
    return program


# Gives the octets, and then holds the input open: its end would be the channel's. A shell would not be interrupted.
FEED = """python3 -c 'import sys, time; sys.stdout.buffer.write(open("/host/outwards", "rb").read()); sys.stdout.flush(); time.sleep(3600)'"""


def inside(lab, *words):
    """The tool in the guest, whose channel is between the same two files."""
    return lab.guest.start(f"export LD_LIBRARY_PATH=/programs/lib; {FEED} | "
                           f"/programs/ble l2cap {' '.join(words)} --adapter bluez 2>&1 >/host/came-in")


@pytest.mark.rows("R3.11")
def test_a_channel_is_opened_to_a_device(lab, pipes):
    program = outside(lab, "Piper", pipes, "listen", "--name", "Piper")
    program.wait_for("Advertising as")
    command = inside(lab, "connect", "Piper", "--timeout", "90")
    pipes.wait(program, command)
    command.interrupt()
    assert program.finish() == 0, program.text


@pytest.mark.parametrize("options", [[], ["--encrypted"]], ids=["open", "encrypted"])
def test_a_published_channel_is_opened_by_a_device(lab, pipes, options):
    name = f"Listener{len(options)}"
    command = inside(lab, "listen", "--name", name, *options)
    command.wait_for("Advertising as")
    program = outside(lab, f"Caller{len(options)}", pipes, "connect", name, "--timeout", "90")
    pipes.wait(program, command)
    program.stop()
    command.interrupt()
    if options:
        lab.remove_devices()


def test_a_channel_that_nobody_has_published_is_refused(lab):
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    status, output = lab.ble("l2cap", "connect", "Owenli", "--psm", "0x90", "--timeout", "60", "--adapter", "bluez",
                             seconds=120)
    server.stop()
    assert status != 0 and "not supported" in output
