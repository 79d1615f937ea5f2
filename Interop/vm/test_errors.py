"""What the tool in the guest says where the machine's adapter cannot be had: each text names the cause and what to type."""

import contextlib

import pytest

from hotplug import HotPlug
from programs import wait_until

NO_DAEMON = "the Bluetooth daemon does not run: sudo systemctl enable --now bluetooth"


def refused(lab, adapter, *texts, **options):
    """A scan cannot begin, and says why; `options` are those of Lab.start."""
    status, output = lab.ble("scan", "--duration", "2", "--timeout", "3", "--adapter", adapter, **options)
    assert status == 69 and all(text in output for text in texts), (status, output)


def examined(lab, *texts, **options):
    """`ble doctor`, which changes nothing, says so too."""
    output = lab.ble("doctor", **options)[1]
    assert all(text in output for text in texts), output


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


@contextlib.contextmanager
def no_right_to_the_daemon(lab):
    """Gives what starts a program as a user whom the bus does not let talk to bluetoothd."""
    policy = "/usr/share/dbus-1/system.d/bluetooth.conf"
    # As systems have it where only a group may: nothing for all others.
    done(lab, f"P={policy}; [ -e $P ] || P=/etc/dbus-1/system.d/bluetooth.conf; cp $P /tmp/policy; echo $P >/tmp/policy-path; "
              "sed -i '/context=\"default\"/,/<\\/policy>/d' $P; "
              # Debian 13 names no group.
              "grep -q group= $P || "
              "sed -i 's#</busconfig>#<policy group=\"bluetooth\"><allow send_destination=\"org.bluez\"/></policy></busconfig>#' $P; "
              "kill -HUP $(pidof dbus-daemon)")
    try:
        yield "capsh --user=user -- -c"
    finally:
        done(lab, "cp /tmp/policy $(cat /tmp/policy-path); kill -HUP $(pidof dbus-daemon)")


# Linux keeps the module for good once channels were used.
@pytest.mark.first
@pytest.mark.ground("hci")
def test_i12_1_a_kernel_without_bluetooth(lab):
    adapters = HotPlug(lab)
    remove = "for module in bnep rfcomm hci_vhci bluetooth; do rmmod $module; done 2>&1"
    with no_daemon(lab):
        adapters.unplug()
        try:
            # Its module is not loaded, and cannot be.
            done(lab, "echo 'install bluetooth /bin/false' >/etc/modprobe.d/none.conf")
            wait_until(lambda: lab.guest.run(f"{remove} >/dev/null; grep '^bluetooth ' /proc/modules")[0] != 0, "the module has gone")
            refused(lab, "hci",
                    "hci: Bluetooth: this kernel has no Bluetooth, or not for this program: load it (sudo modprobe bluetooth)")
            refused(lab, "bluez", NO_DAEMON)
            examined(lab, "The kernel's Bluetooth is not loaded.", "sudo modprobe bluetooth")
        finally:
            done(lab, "rm /etc/modprobe.d/none.conf; modprobe bluetooth; modprobe hci_vhci")
            adapters.plug()


@pytest.mark.ground("hci")
def test_i12_1_an_adapter_that_is_not_there(lab):
    refused(lab, "hci:3", "hci:3: the adapters here are hci0 (")
    refused(lab, "hci:00:11:22:33:44:55", "hci:00:11:22:33:44:55: the adapters here are hci0 (")


@pytest.mark.ground("hci")
def test_i12_1_an_adapter_that_is_blocked(lab):
    try:
        refused(lab, "hci", "hci0: Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth", before="rfkill block bluetooth;")
    finally:
        done(lab, "rfkill unblock bluetooth")
        HotPlug(lab).wait_until_powered()


@pytest.mark.rows("R4.12")
@pytest.mark.ground("hci")
def test_i12_1_a_program_without_the_capability(lab):
    refused(lab, "hci", "hci0: the HCI user channel needs CAP_NET_ADMIN: sudo setcap cap_net_admin+ep /programs/ble",
            within="capsh --drop=cap_net_admin -- -c")


@pytest.mark.ground("hci")
def test_i12_1_a_container_with_a_network_of_its_own(lab):
    refused(lab, "hci", "this kernel has no Bluetooth, or not for this program", "in a container share the machine's network (--net=host)",
            within="unshare -n sh -c")


@pytest.mark.ground("hci")
def test_i12_1_a_machine_without_an_adapter(lab):
    adapters = HotPlug(lab)
    adapters.unplug()
    try:
        refused(lab, "hci", "hci: this machine has no Bluetooth adapter: plug one in")
        refused(lab, "bluez", "the Bluetooth daemon has no adapter to use: it has none")
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
        refused(lab, "hci", "the controller of hci0 has no address and is not configured: sudo btmgmt --index hci0 public-addr <address>")
    finally:
        adapters.unplug()
        adapters.plug()
        adapters.wait_until_powered()


@pytest.mark.ground("hci")
def test_i12_1_the_holder_of_a_channel_is_named_by_name_and_number(lab):
    first = lab.start("scan", "--duration", "0", "--json", "--adapter", "hci")
    wait_until(lambda: lab.guest.run("grep -lx adapter-keeper /proc/[0-9]*/comm")[0] == 0, "the first takes the adapter")
    wait_until(lambda: "another program" in lab.ble("scan", "--duration", "1", "--adapter", "hci:0")[1], "the first has the adapter")
    [holder] = lab.guest.run("grep -lx ble /proc/[0-9]*/comm | cut -d/ -f3")[1].split()
    refused(lab, "hci:0", f"another program has hci0 by the user channel (probably ble, process {holder}): stop that program")
    examined(lab, f"(probably ble, process {holder})")
    assert first.interrupt()[0] in (0, 130)
    HotPlug(lab).wait_until_powered()


@pytest.mark.ground("bluez")
def test_i12_2_an_adapter_that_is_not_there_and_a_machine_without_a_bus(lab):
    refused(lab, "bluez:hci3", "the Bluetooth daemon has no adapter hci3: it has hci0")
    refused(lab, "bluez", "message bus", before="export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/nowhere;")


@pytest.mark.ground("bluez")
def test_i12_2_no_daemon(lab):
    with no_daemon(lab):
        refused(lab, "bluez", NO_DAEMON)


@pytest.mark.rows("R4.12")
@pytest.mark.ground("bluez")
def test_i12_2_a_user_whom_the_bus_does_not_let(lab):
    with no_right_to_the_daemon(lab) as as_user:
        refused(lab, "bluez", "this user may not use the Bluetooth daemon: add it to the group bluetooth", within=as_user)
        examined(lab, "Only the group bluetooth may use BlueZ.", "sudo usermod -aG bluetooth user", within=as_user)


@pytest.mark.ground("bluez")
def test_i12_2_an_adapter_that_is_blocked_is_switched_off(lab):
    done(lab, "rfkill block bluetooth")
    try:
        refused(lab, "bluez", "hci0: Bluetooth is blocked by rfkill (soft block): rfkill unblock bluetooth")
        examined(lab, "The machine's Bluetooth is turned off", "rfkill unblock bluetooth")
    finally:
        done(lab, "rfkill unblock bluetooth")
        lab.guest.run("bluetoothctl power on")
        HotPlug(lab).wait_until_powered()
