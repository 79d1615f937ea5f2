"""The states of a manager on the machine's own adapter, brought about one by one: an example prints what its delegate is told."""

import re

import pytest

from hotplug import HotPlug
from stage import EXAMPLES
from test_errors import done, no_right_to_the_daemon


# By their raw values; the first, unknown, is what a manager is in before it is told one.
RESETTING, UNSUPPORTED, UNAUTHORIZED, OFF, ON = "12345"


class Explorer:
    """The example, which looks for a device that is not there."""

    def __init__(self, lab, adapter, within=""):
        program = lab.carry(EXAMPLES / "Explorer")
        self.command = lab.start("Nowhere", "0", program=program, before=f"export BLE_ADAPTER={adapter};", within=within)

    def wait_for(self, states):
        """Until it has been told these, in this order and perhaps others between."""
        while not re.match(".*".join(states), "".join(re.findall(r"state (\d)\n", self.command.text))):
            self.command.wait_for("state", 240, self.command.text.count("state") + 1)

    def end(self):
        self.command.interrupt()


@pytest.mark.rows("R0.1")
@pytest.mark.ground("bluez")
def test_i12_states_by_the_daemon(lab):
    adapters = HotPlug(lab)
    adapters.wait_until_powered()
    explorer = Explorer(lab, "bluez")
    explorer.wait_for(ON)
    done(lab, "bluetoothctl power off")
    explorer.wait_for(ON + OFF)
    done(lab, "bluetoothctl power on")
    explorer.wait_for(ON + OFF + ON)
    done(lab, "kill -KILL $(pidof bluetoothd)")
    explorer.wait_for(ON + OFF + ON + RESETTING + ON)
    explorer.end()
    with no_right_to_the_daemon(lab) as as_user:
        explorer = Explorer(lab, "bluez", within=as_user)
        explorer.wait_for(UNAUTHORIZED)
        explorer.end()
    adapters.unplug()
    try:
        explorer = Explorer(lab, "bluez")
        explorer.wait_for(UNSUPPORTED)
        explorer.end()
    finally:
        adapters.plug()
        adapters.wait_until_powered()


@pytest.mark.rows("R0.1")
@pytest.mark.ground("hci")
def test_i12_states_by_the_user_channel(lab):
    adapters = HotPlug(lab)
    adapters.wait_until_powered()
    explorer = Explorer(lab, "hci")
    explorer.wait_for(ON)
    adapters.unplug()
    explorer.wait_for(ON + RESETTING)
    # The kernel keeps an adapter off that comes while they are blocked.
    done(lab, "rfkill block bluetooth")
    try:
        adapters.plug()
        explorer.wait_for(ON + RESETTING + OFF)
    finally:
        done(lab, "rfkill unblock bluetooth")
    explorer.wait_for(ON + RESETTING + OFF + ON)
    explorer.end()
    adapters.wait_until_powered()
    explorer = Explorer(lab, "hci", within="capsh --drop=cap_net_admin -- -c")
    explorer.wait_for(UNAUTHORIZED)
    explorer.end()
    adapters.unplug()
    try:
        explorer = Explorer(lab, "hci")
        explorer.wait_for(UNSUPPORTED)
        explorer.end()
    finally:
        adapters.plug()
        adapters.wait_until_powered()
