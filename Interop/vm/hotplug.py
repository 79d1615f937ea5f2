"""The guest's adapter in the hands of a test: pulled out and plugged in."""

from programs import wait_until


class HotPlug:
    """The adapter's relay in the guest: ended it pulls the adapter out, started it plugs it in."""

    def __init__(self, lab):
        self.lab = lab

    def is_there(self):
        return self.lab.guest.run("test -e /sys/class/bluetooth/hci0")[0] == 0

    def signal(self, name):
        assert self.lab.guest.run(f"kill -{name} $(grep -lx relay /proc/[0-9]*/comm | cut -d/ -f3)")[0] == 0

    def miss_reset(self):
        """The controller does not answer the next reset."""
        self.signal("USR1")

    def unplug(self):
        self.signal("TERM")
        wait_until(lambda: not self.is_there(), "the adapter has gone")

    def plug(self, kind=""):
        """`kind` is "" or what guest/relay.c knows besides."""
        if not self.is_there():
            self.lab.guest.run(f"setsid /lab/relay /dev/virtio-ports/hci0 {kind} </dev/null >/run/relay0 2>&1 &")
            wait_until(self.is_there, "the adapter is there")

    def wait_until_powered(self):
        for _ in range(100):
            if "Powered: yes" in self.lab.guest.run("bluetoothctl show")[1]:
                return
        raise AssertionError("the daemon has not switched its adapter on again")
