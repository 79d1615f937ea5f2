"""The tool in the guest on the machine's own adapter, which it takes from the kernel by the HCI user channel."""

import functools
import json
import operator
import re
import time

import pytest

from hotplug import HotPlug
from programs import wait_until


@pytest.fixture
def owenli(lab):
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    yield server
    server.stop()
    # What a test that failed has left.
    lab.guest.run("left=$(grep -lx ble /proc/[0-9]*/comm | cut -d/ -f3); [ -z \"$left\" ] || kill -KILL $left")


class Scan:
    """A scan on the user channel that has heard the device outside."""

    def __init__(self, lab, program="/programs/ble", start="exec {}"):
        self.lab = lab
        scan = start.format(f"{program} scan --timeout 600 --adapter hci:0")
        self.command = lab.guest.start(f"export LD_LIBRARY_PATH=/programs/lib HOME=/tmp; {scan} 2>&1")
        self.command.wait_for("Owenli")
        self.process = self.named("ble")

    @property
    def keeper(self):
        return self.named("adapter-keeper")

    def named(self, name):
        """The one process of that name, by its number."""
        found = self.lab.guest.run(f"grep -lx {name} /proc/[0-9]*/comm")[1].split()
        assert len(found) == 1, f"{name}: {found}"
        return int(found[0].split("/")[2])

    def out(self, line):
        status, output = self.lab.guest.run(line)
        assert status == 0, f"{line}: {status}: {output}"
        return output

    def capabilities(self, process):
        """What any thread of a process has in any of the sets, as a number of bits."""
        sets = [line.split() for line in self.out(f"cat /proc/{process}/task/*/status").splitlines() if line.startswith("Cap")]
        values = [int(value, 16) for name, value in sets if name != "CapBnd:"]
        assert len(values) >= 4
        return functools.reduce(operator.or_, values)

    def end(self):
        assert self.command.interrupt()[0] in (0, 130)


CAP_NET_ADMIN, CAP_NET_RAW = 1 << 12, 1 << 13


def kernel(lab):
    """What the kernel says of its adapter, for a failure."""
    return lab.guest.run("hciconfig hci0; dmesg | tail -n 20; grep -lx adapter-keeper /proc/[0-9]*/comm")[1]


def wait_until_powered(lab):
    HotPlug(lab).wait_until_powered()


@pytest.mark.parametrize("adapter", ["hci", "hci:0"])
def test_a_device_is_explored_read_written_and_subscribed_to(lab, owenli, adapter):
    status, output = lab.ble("explore", "Owenli", "--adapter", adapter)
    assert status == 0 and "Service FFF0" in output and '"Hello from Owenli"' in output
    assert lab.ble("write", "Owenli", "FFF2", "kernel", "--adapter", adapter)[0] == 0
    assert lab.ble("read", "Owenli", "FFF2", "--adapter", adapter) == (0, '"kernel" (6b65726e656c)\n')
    status, output = lab.ble("subscribe", "Owenli", "FFF1", "--count", "2", "--adapter", adapter)
    assert status == 0 and output.count("send data :") == 2


def test_a_device_is_served(lab):
    server = lab.start("serve", "owenli", "--adapter", "hci")
    server.wait_for("Advertising")
    walk = lab.outside("explore", "Owenli", "--adapter", "radio:vm")
    assert walk.process.wait(60) == 0 and "Service FFE0" in walk.text
    assert server.interrupt()[0] in (0, 130)


def test_the_adapter_is_switched_on_again_for_the_daemon(lab, owenli):
    wait_until_powered(lab)
    assert lab.ble("scan", "--timeout", "10", "--adapter", "hci")[0] == 0
    wait_until_powered(lab)


def test_x5_a_program_of_root_keeps_neither_of_the_networks_capabilities(lab, owenli):
    scan = Scan(lab)
    assert scan.capabilities(scan.process) & (CAP_NET_ADMIN | CAP_NET_RAW) == 0
    assert scan.capabilities(scan.keeper) == CAP_NET_ADMIN
    assert len(scan.out(f"ls /proc/{scan.keeper}/fd").split()) == 1
    scan.end()
    wait_until_powered(lab)


@pytest.mark.parametrize("way", ["file", "ambient"])
def test_x5_an_ordinary_user_opens_the_adapter_and_keeps_no_capability(lab, owenli, way):
    if way == "file":
        # Programs with a capability of their file take no libraries from the environment.
        prepared = lab.guest.run("cp /programs/lib/* /usr/lib/ && cp /programs/ble /tmp/ble && setcap cap_net_admin+ep /tmp/ble")
        assert prepared == (0, "")
        scan = Scan(lab, "/tmp/ble", "exec capsh --user=user -- -c 'exec {}'")
    else:
        scan = Scan(lab, start="exec capsh --keep=1 --user=user --inh=cap_net_admin --addamb=cap_net_admin -- -c 'exec {}'")
    assert "Uid:\t1000\t1000" in scan.out(f"cat /proc/{scan.process}/status")
    assert scan.capabilities(scan.process) == 0
    assert scan.capabilities(scan.keeper) == CAP_NET_ADMIN
    scan.end()
    wait_until_powered(lab)
    lab.guest.run("rm -f /tmp/ble")


@pytest.mark.parametrize("controller", ["that answers", "that misses a reset"])
def test_x5_the_adapter_is_switched_on_again_when_the_program_is_killed(lab, owenli, controller):
    wait_until_powered(lab)
    # So that it is not the daemon that does it.
    assert lab.guest.run("kill -STOP $(pidof bluetoothd)")[0] == 0
    try:
        scan = Scan(lab)
        if controller == "that misses a reset":
            HotPlug(lab).miss_reset()
        scan.out(f"kill -TERM {scan.keeper}; kill -INT {scan.keeper}; kill -HUP {scan.keeper}; kill -KILL {scan.process}")
        wait_until(lambda: lab.guest.run(f"test -e /proc/{scan.process}")[0] != 0, "the program's end")
        wait_until(lambda: "UP RUNNING" in scan.out("hciconfig hci0"), lambda: f"the adapter is switched on again: {kernel(lab)}")
        wait_until(lambda: lab.guest.run("grep -lx adapter-keeper /proc/[0-9]*/comm")[1] == "", "the keeper's end")
    finally:
        lab.guest.run("kill -CONT $(pidof bluetoothd)")
    wait_until_powered(lab)


def test_x5_the_adapter_is_switched_on_again_when_the_kernel_closes_the_channel_after_the_keepers_socket(lab, owenli):
    """The kernel refuses until the channel is closed."""
    wait_until_powered(lab)
    assert lab.guest.run("kill -STOP $(pidof bluetoothd)")[0] == 0
    try:
        scan = Scan(lab)
        keeper = scan.keeper
        holder = lab.guest.start(f"exec python3 /lab/holder.py {scan.process} 2>&1")
        holder.wait_for("1 held")
        scan.out(f"kill -KILL {scan.process}")
        # Besides its socket to the program it now has one to the kernel.
        wait_until(lambda: len(scan.out(f"ls /proc/{keeper}/fd").split()) == 2, "the keeper's attempt")
        holder.interrupt()
        wait_until(lambda: "UP RUNNING" in scan.out("hciconfig hci0"), lambda: f"the adapter is switched on again: {kernel(lab)}")
        wait_until(lambda: lab.guest.run("grep -lx adapter-keeper /proc/[0-9]*/comm")[1] == "", "the keeper's end")
    finally:
        lab.guest.run("kill -CONT $(pidof bluetoothd)")
    wait_until_powered(lab)


def test_nothing_is_lost_while_the_program_stands_still(lab):
    """The kernel keeps what a program does not read as long as there is room, and says nothing of what it then drops."""
    values = {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.01, "values": [{"utf8": "number {n}."}]}}
    profile = lab.folder / "counter.json"
    profile.write_text(json.dumps({"name": "Counter", "advertise": ["FFF0"], "services": [{"uuid": "FFF0", "characteristics": [values]}]}))
    counter = lab.outside("serve", profile, "--adapter", "radio:vm/counter")
    counter.wait_for("Advertising")
    command = lab.start("subscribe", "Counter", "FFF1", "--count", "2000", "--format", "utf8", "--adapter", "hci:0")
    command.wait_for("number 9.")
    process = lab.guest.run("grep -lx ble /proc/[0-9]*/comm | cut -d/ -f3")[1].strip()
    lab.guest.run(f"kill -STOP {process}")
    said = len(counter.text)
    wait_until(lambda: counter.text.count("notified", said) >= 1_000, "a thousand notifications")
    lab.guest.run(f"kill -CONT {process}")
    assert command.wait(120) == (0, command.text)
    numbers = [int(number) for number in re.findall(r"number (\d+)\.", command.text)]
    assert numbers == list(range(numbers[0], numbers[0] + 2_000))
    counter.stop()


@pytest.fixture
def hotplug(lab):
    """The adapter's relay in the guest, in the test's hands: ended it pulls the adapter out, started it plugs it in."""
    yield HotPlug(lab)
    HotPlug(lab).plug()
    wait_until_powered(lab)


class Watch:
    """Keeps the device outside connected, on the user channel."""

    def __init__(self, lab):
        self.command = lab.start("watch", "Owenli", "--lines", "--characteristic", "FFF1", "--adapter", "hci")

    def wait_for(self, text, count=1):
        self.command.wait_for(text, count=count)

    def end(self):
        assert self.command.interrupt()[0] in (0, 130)


def test_i12_1_an_adapter_that_is_pulled_out_20_times_comes_back_with_what_was_wanted(lab, owenli, hotplug):
    watch = Watch(lab)
    watch.wait_for("ready")
    for number in range(1, 21):
        hotplug.unplug()
        watch.wait_for("the adapter has been removed", number)
        watch.wait_for("plug one in", number)
        hotplug.plug()
        watch.wait_for("ready again", number)
    watch.end()


def test_i12_1_a_blocked_adapter_is_waited_for_and_one_in_use_cannot_be_blocked(lab, owenli, hotplug):
    watch = Watch(lab)
    watch.wait_for("ready")
    try:
        # The kernel keeps it for adapters that come later.
        lab.guest.run("rfkill block bluetooth")
        time.sleep(1)
        assert "removed" not in watch.command.text
        hotplug.unplug()
        hotplug.plug()
        watch.wait_for("Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth")
    finally:
        lab.guest.run("rfkill unblock bluetooth")
    watch.wait_for("ready again")
    watch.end()


def test_i12_1_the_daemon_does_not_get_an_adapter_that_is_in_use(lab, owenli, hotplug):
    watch = Watch(lab)
    watch.wait_for("ready")
    # It is started again by the guest.
    assert lab.guest.run("kill -KILL $(pidof bluetoothd)")[0] == 0
    wait_until(lambda: lab.guest.run("pidof bluetoothd")[0] == 0, "bluetoothd runs again")
    assert "No default controller" in lab.guest.run("bluetoothctl show")[1]
    # It takes what comes back, and gives it up again.
    hotplug.unplug()
    hotplug.plug()
    watch.wait_for("ready again")
    watch.end()
