"""How many calls of the kernel what passes takes on the machine's own adapter. They are counted: time says nothing in an emulated machine."""

import re

import pytest

import test_bluez_channel
from hotplug import HotPlug
from test_matrix_channel import Pipes

# The octets of a channel in one packet of the link.
PACKET = 247
TRACE = "strace -f -c -o /tmp/calls"


def counted(lab):
    """How often each call was made, by strace's table."""
    status, table = lab.guest.run("cat /tmp/calls")
    assert status == 0, table
    rows = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", table, re.MULTILINE)
    return {name: int(number) for number, name in rows if name != "total"}


def difference(few, many, events, what):
    """The calls for one of `events`: what a program makes besides is in both."""
    each = {name: (many[name] - few.get(name, 0)) / events for name in many}
    most = sorted(each.items(), key=lambda item: -item[1])[:5]
    print(f"{what}: {sum(each.values()):.2f} calls ({', '.join(f'{name} {number:.2f}' for name, number in most)})")
    return sum(each.values())


def through_channel(lab, length):
    """The calls while so many octets pass each way through a channel to a device outside."""
    pipes = Pipes(lab, length)
    try:
        program = test_bluez_channel.outside(lab, "Piper", pipes, "listen", "--name", "Piper")
        program.wait_for("Advertising as")
        command = lab.guest.start(f"export LD_LIBRARY_PATH=/programs/lib HOME=/tmp; {test_bluez_channel.FEED} | "
                                  f"{TRACE} /programs/ble l2cap connect Piper --timeout 90 --adapter hci:0 2>&1 >/host/came-in")
        try:
            pipes.wait(program, command)
        finally:
            command.interrupt()
            program.stop()
        return counted(lab)
    finally:
        pipes.close()


@pytest.fixture(autouse=True)
def powered(lab):
    """The daemon has the adapter, also behind a test that took it."""
    HotPlug(lab).wait_until_powered()


def test_what_passes_through_a_channel_of_the_user_channel(lab):
    """Both ways at once: half of the packets come, half go. They are few, because strace makes the program slow."""
    few, many = (through_channel(lab, length) for length in (5_000, 35_000))
    assert difference(few, many, 2 * 30_000 / PACKET, "a packet") < 3


def values(lab, count, adapter):
    status, output = lab.guest.run(f"export LD_LIBRARY_PATH=/programs/lib HOME=/tmp; "
                                   f"{TRACE} /programs/ble subscribe Owenli FFF1 --count {count} --adapter {adapter} 2>&1", 300)
    assert status == 0 and output.count("send data :") == count, output
    return counted(lab)


@pytest.mark.parametrize("adapter, most", [("hci:0", 40), ("bluez", 40)])
def test_values_that_come_alone(lab, adapter, most):
    """The limit is twice what was counted: how often threads wake one another depends on what else the machine does. A program that polls is far beyond it."""
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    try:
        few, many = (values(lab, count, adapter) for count in (5, 25))
        assert difference(few, many, 20, f"a value a second, {adapter}") < most
    finally:
        server.stop()
