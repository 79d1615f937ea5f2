#!/usr/bin/python3
"""Keeps an advertisement monitor of bluetoothd's registered until its standard input ends. While there is one the kernel has the controller
report every advertisement of a scan, and not each device once in ten seconds."""

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

MONITOR = "org.bluez.AdvertisementMonitor1"
# At the beginning of an advertisement: its flags, as all that are discoverable have them.
FLAGS = [(0, 1, [0x06])]


class Monitors(dbus.service.Object):
    """The application, whose only monitor is below it."""

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", in_signature="", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        patterns = dbus.Array([dbus.Struct((dbus.Byte(start), dbus.Byte(kind), dbus.Array(octets, signature="y")), signature="yyay")
                               for start, kind, octets in FLAGS], signature="(yyay)")
        properties = dbus.Dictionary({"Type": "or_patterns", "Patterns": patterns}, signature="sv")
        return {dbus.ObjectPath("/lab/monitors/flags"): {MONITOR: properties}}


class Monitor(dbus.service.Object):
    @dbus.service.method(MONITOR, in_signature="", out_signature="")
    def Activate(self):
        print("active", flush=True)

    @dbus.service.method(MONITOR, in_signature="", out_signature="")
    def Release(self):
        print("released", flush=True)

    @dbus.service.method(MONITOR, in_signature="o", out_signature="")
    def DeviceFound(self, device):
        pass

    @dbus.service.method(MONITOR, in_signature="o", out_signature="")
    def DeviceLost(self, device):
        pass


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    monitors, monitor = Monitors(bus, "/lab/monitors"), Monitor(bus, "/lab/monitors/flags")
    loop = GLib.MainLoop()
    manager = dbus.Interface(bus.get_object("org.bluez", "/org/bluez/hci0", introspect=False),
                             "org.bluez.AdvertisementMonitorManager1")
    manager.RegisterMonitor(dbus.ObjectPath("/lab/monitors"), reply_handler=lambda: None,
                            error_handler=lambda error: (print(error, flush=True), loop.quit()))
    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: loop.quit())
    loop.run()
    del monitors, monitor


if __name__ == "__main__":
    main()
