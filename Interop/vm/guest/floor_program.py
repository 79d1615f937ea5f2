#!/usr/bin/python3
"""Finds a device, connects to it, and becomes the benchmark's C program on sd-bus (floor.c), which is then to read or to subscribe. The link is
the daemon's, and lasts longer than this program.

    floor_program.py FLOOR read|subscribe NAME UUID COUNT
"""

import os
import sys
import time

import dbus

DEVICE, CHARACTERISTIC = "org.bluez.Device1", "org.bluez.GattCharacteristic1"


def main():
    floor, verb, name, uuid, count = sys.argv[1:]
    bus = dbus.SystemBus()
    manager = dbus.Interface(bus.get_object("org.bluez", "/", introspect=False), "org.freedesktop.DBus.ObjectManager")
    adapter = dbus.Interface(bus.get_object("org.bluez", "/org/bluez/hci0", introspect=False), "org.bluez.Adapter1")

    def found(interface, condition, below=""):
        objects = manager.GetManagedObjects()
        return next((path for path, interfaces in objects.items()
                     if path.startswith(below) and interface in interfaces and condition(interfaces[interface])), None)

    def awaited(*condition):
        until = time.monotonic() + 60
        while not (path := found(*condition)):
            if time.monotonic() > until:
                sys.exit(f"no {condition[0]} within 60 s")
            time.sleep(0.2)
        return path

    adapter.StartDiscovery()
    path = awaited(DEVICE, lambda properties: properties.get("Name") == name)
    adapter.StopDiscovery()
    dbus.Interface(bus.get_object("org.bluez", path, introspect=False), DEVICE).Connect(timeout=60)
    awaited(DEVICE, lambda properties: properties.get("ServicesResolved"), path)
    characteristic = awaited(CHARACTERISTIC, lambda properties: properties["UUID"][4:8] == uuid, path)
    os.execv(floor, [floor, verb, count, characteristic])


if __name__ == "__main__":
    main()
