"""What the tool in the guest says where the machine's adapter cannot be had, beside what test_user_channel.py and test_bluez.py provoke:
each text names the cause and what to type."""

import contextlib

import pytest

from hotplug import HotPlug
from programs import wait_until

ENVIRONMENT = "export LD_LIBRARY_PATH=/host/lib HOME=/tmp;"


def scan(lab, adapter, before="", after=""):
    """Status and output of a short scan; `before` is a program that starts it, as in `unshare -n`."""
    return lab.guest.run(f"{ENVIRONMENT} {before} /host/ble scan --duration 2 --timeout 3 --adapter {adapter} {after} 2>&1")


def examined(lab, before=""):
    """What `ble doctor` says; it changes nothing and never fails to end."""
    return lab.guest.run(f"{ENVIRONMENT} {before} /host/ble doctor 2>&1")[1]


def done(lab, line):
    status, output = lab.guest.run(line)
    assert status == 0, f"{line}: {status}: {output}"


@contextlib.contextmanager
def no_daemon(lab):
    """bluetoothd is not installed where it would be started again."""
    done(lab, "mv /usr/libexec/bluetooth/bluetoothd /usr/libexec/bluetooth/away; kill -KILL $(pidof bluetoothd)")
    wait_until(lambda: lab.guest.run("pidof bluetoothd")[0] != 0, "the daemon has ended")
    try:
        yield
    finally:
        done(lab, "mv /usr/libexec/bluetooth/away /usr/libexec/bluetooth/bluetoothd")
        wait_until(lambda: lab.guest.run("pidof bluetoothd")[0] == 0, "the daemon runs again")
        HotPlug(lab).wait_until_powered()


@pytest.mark.ground("hci")
def test_i12_1_a_kernel_without_bluetooth(lab):
    adapters = HotPlug(lab)
    remove = "for module in bnep rfcomm hci_vhci bluetooth; do rmmod $module; done 2>&1"
    with no_daemon(lab):
        adapters.unplug()
        try:
            # Its module is not loaded, and cannot be.
            done(lab, "echo 'install bluetooth /bin/false' >/etc/modprobe.d/none.conf")
            wait_until(lambda: lab.guest.run(f"{remove} >/dev/null; grep '^bluetooth ' /proc/modules")[0] != 0,
                       lambda: f"the module has gone: {lab.guest.run(remove)}")
            status, output = scan(lab, "hci")
            assert status == 69
            assert "hci: Bluetooth: this kernel has no Bluetooth, or not for this program: load it (sudo modprobe bluetooth)" in output
            status, output = scan(lab, "bluez")
            assert status == 69 and "the Bluetooth daemon does not run: sudo systemctl enable --now bluetooth" in output
            said = examined(lab)
            assert "The kernel's Bluetooth is not loaded." in said and "sudo modprobe bluetooth" in said
        finally:
            done(lab, "rm /etc/modprobe.d/none.conf; modprobe bluetooth; modprobe hci_vhci")
            adapters.plug()


@pytest.mark.ground("hci")
def test_i12_1_a_container_with_a_network_of_its_own(lab):
    status, output = scan(lab, "hci", before="unshare -n")
    assert status == 69
    assert "this kernel has no Bluetooth, or not for this program" in output
    assert "in a container share the machine's network (--net=host)" in output


@pytest.mark.ground("hci")
def test_i12_1_a_machine_without_an_adapter(lab):
    adapters = HotPlug(lab)
    adapters.unplug()
    try:
        status, output = scan(lab, "hci")
        assert status == 69 and "hci: this machine has no Bluetooth adapter: plug one in" in output
        status, output = scan(lab, "bluez")
        assert status == 69 and "the Bluetooth daemon has no adapter to use: it has none" in output
    finally:
        adapters.plug()
        adapters.wait_until_powered()


@pytest.mark.ground("hci")
def test_i12_1_a_controller_without_an_address(lab):
    adapters = HotPlug(lab)
    adapters.unplug()
    try:
        adapters.plug("unconfigured")
        wait_until(lambda: "hci0" in lab.guest.run("btmgmt --timeout 5 config 2>&1")[1], "the kernel lists it as not configured")
        status, output = scan(lab, "hci")
        assert status == 69
        assert "the controller of hci0 has no address and is not configured: sudo btmgmt --index hci0 public-addr <address>" in output
    finally:
        adapters.unplug()
        adapters.plug()
        adapters.wait_until_powered()


@pytest.mark.ground("hci")
def test_i12_1_the_holder_of_a_channel_is_named_by_name_and_number(lab):
    first = lab.guest.start(f"{ENVIRONMENT} exec /host/ble scan --duration 0 --json --adapter hci 2>&1")
    wait_until(lambda: lab.guest.run("grep -lx adapter-keeper /proc/[0-9]*/comm")[0] == 0, "the first has the adapter")
    [holder] = lab.guest.run("grep -lx ble /proc/[0-9]*/comm | cut -d/ -f3")[1].split()

    def told():
        status, output = scan(lab, "hci")
        return (status, output) if "another program has hci0" in output else None

    status, output = wait_until(told, "the second one is refused")
    assert status == 69
    assert f"another program has hci0 by the user channel (probably ble, process {holder}): stop that program" in output
    said = examined(lab)
    assert f"(probably ble, process {holder})" in said
    assert first.interrupt()[0] in (0, 130)
    HotPlug(lab).wait_until_powered()


@pytest.mark.ground("bluez")
def test_i12_2_no_daemon(lab):
    with no_daemon(lab):
        status, output = scan(lab, "bluez")
        assert status == 69 and "the Bluetooth daemon does not run: sudo systemctl enable --now bluetooth" in output


@pytest.mark.ground("bluez")
def test_i12_2_a_user_whom_the_bus_does_not_let(lab):
    policy = "/usr/share/dbus-1/system.d/bluetooth.conf"
    # As systems have it where only a group may: nothing for all others.
    done(lab, f"P={policy}; [ -e $P ] || P=/etc/dbus-1/system.d/bluetooth.conf; cp $P /tmp/policy; echo $P >/tmp/policy-path; "
              "sed -i '/context=\"default\"/,/<\\/policy>/d' $P; kill -HUP $(pidof dbus-daemon)")
    as_user = "capsh --user=user -- -c"
    try:
        line = "/host/ble scan --duration 2 --timeout 3 --adapter bluez"
        status, output = lab.guest.run(f"{ENVIRONMENT} {as_user} '{line}' 2>&1")
        assert status == 69
        assert "this user may not speak to the Bluetooth daemon: be in the group bluetooth" in output
        said = lab.guest.run(f"{ENVIRONMENT} {as_user} '/host/ble doctor' 2>&1")[1]
        assert "Only the group bluetooth may use BlueZ." in said and "sudo usermod -aG bluetooth user" in said
    finally:
        done(lab, "cp /tmp/policy $(cat /tmp/policy-path); kill -HUP $(pidof dbus-daemon)")


@pytest.mark.ground("bluez")
def test_i12_2_an_adapter_that_is_blocked_is_switched_off(lab):
    done(lab, "rfkill block bluetooth")
    try:
        status, output = scan(lab, "bluez")
        assert status == 69 and "hci0: Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth" in output
        said = examined(lab)
        assert "The machine's Bluetooth is turned off" in said and "rfkill unblock bluetooth" in said
    finally:
        done(lab, "rfkill unblock bluetooth")
        lab.guest.run("bluetoothctl power on")
        HotPlug(lab).wait_until_powered()
