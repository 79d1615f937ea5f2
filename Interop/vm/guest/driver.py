#!/usr/bin/python3
"""A program of bluetoothd's in the guest that is told what to do from outside: a line of JSON on the standard input asks for one thing,
and a line on the standard output answers it, or tells what has happened. When the program ends, or is asked to `begin`, all that it registered is gone.

    {"number": 1, "verb": "read", "device": "Owenli", "characteristic": "fff2"}
    {"number": 1, "answer": "6f77656e6c69"}        or: {"number": 1, "error": "org.bluez.Error.Failed", "text": "..."}
    {"event": "value", "characteristic": "fff1", "value": "00"}
"""

import json
import os
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

from agent import Agent
from application import Advertisement, Application
from management import has_link, set_secure_connections

ADAPTER = "/org/bluez/hci0"
PROPERTIES = "org.freedesktop.DBus.Properties"
# Seconds: bluetoothd gives up a connection attempt after about 40.
PATIENCE = 180
# After so many seconds Connect is taken for one that 5.66 never answers (seen once), and is called again.
UNANSWERED = 90
# Often enough for what passes: 5.66 answers Connect with "Input/output error" or "le-connection-abort-by-local" now and then.
CONNECT_ATTEMPTS = 5
# What an object answers that is not connected, or not there any more.
GONE = {"org.bluez.Error.NotConnected", "org.bluez.Error.DoesNotExist", "org.freedesktop.DBus.Error.UnknownObject",
        "org.freedesktop.DBus.Error.UnknownMethod"}


def octets(text):
    return dbus.Array(bytes.fromhex(text), signature="y")


def short(uuid):
    """The four digits of an assigned UUID, or all 36 characters."""
    return uuid[4:8] if uuid.endswith("-0000-1000-8000-00805f9b34fb") and uuid.startswith("0000") else uuid


class Driver:
    def __init__(self, loop):
        self.loop = loop
        self.input = b""
        self.begin()
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, self.readable)

    def begin(self):
        """With a connection of its own: the daemon forgets what was registered by one that is closed."""
        self.bus = dbus.SystemBus(private=True)
        self.bus.set_exit_on_disconnect(False)
        self.application = None
        self.agent = None
        self.waiting = []
        for name, handler in [("PropertiesChanged", self.properties_changed), ("InterfacesAdded", self.objects_changed),
                              ("InterfacesRemoved", self.objects_changed)]:
            self.bus.add_signal_receiver(handler, name, bus_name="org.bluez", path_keyword="path")

    def do_begin(self, done, failed):
        self.bus.close()
        self.begin()
        done()

    # Lines

    def tell(self, **members):
        print(json.dumps(members), flush=True)

    def readable(self, *_):
        data = os.read(0, 65536)
        if not data:
            self.loop.quit()
            return False
        *lines, self.input = (self.input + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            number, verb = request.pop("number"), request.pop("verb")

            def done(answer=None, number=number):
                self.tell(number=number, answer=answer)

            def failed(error, number=number):
                name = error.get_dbus_name() if isinstance(error, dbus.DBusException) else type(error).__name__
                self.tell(number=number, error=name, text=str(error))

            try:
                getattr(self, "do_" + verb)(done, failed, **request)
            except Exception as error:
                failed(error)
        return True

    # bluetoothd's objects

    def interface(self, path, name):
        return dbus.Interface(self.bus.get_object("org.bluez", path, introspect=False), name)

    def objects(self):
        return self.interface("/", "org.freedesktop.DBus.ObjectManager").GetManagedObjects()

    def call(self, done, failed, path, name, member, *arguments, answer=lambda *_: None):
        def replied(*values):
            try:
                done(answer(*values))
            except Exception as error:  # Whatever it is, who asked is to hear of it.
                failed(error)

        method = getattr(self.interface(path, name), member)
        method(*arguments, timeout=PATIENCE, error_handler=failed, reply_handler=replied)

    def device(self, name):
        """The path of the device with that name; the one that was heard or is connected, where an old one is still listed."""
        found = {path: interfaces["org.bluez.Device1"] for path, interfaces in self.objects().items()
                 if interfaces.get("org.bluez.Device1", {}).get("Name") == name}
        for path, device in found.items():
            if "RSSI" in device or device["Connected"]:
                return path
        return next(iter(found), None)

    def characteristic(self, name, uuid):
        device = self.device(name)
        for path, interfaces in self.objects().items():
            found = interfaces.get("org.bluez.GattCharacteristic1")
            if found and device and path.startswith(device + "/") and short(found["UUID"]) == uuid:
                return path
        raise KeyError(f"{name} has no characteristic {uuid}")

    def until(self, done, failed, condition):
        """Answers as soon as `condition` gives something, which is looked at again whenever an object changes."""
        def check():
            try:
                value = condition()
                if value is not None:
                    done(value)
                return value is not None
            except Exception as error:
                failed(error)
                return True

        if not check():
            self.waiting.append(check)

    def look_again(self):
        self.waiting = [check for check in self.waiting if not check()]
        return False

    def objects_changed(self, *_, path=None):
        self.look_again()

    def properties_changed(self, interface, changed, _, path=None):
        if interface == "org.bluez.GattCharacteristic1" and "Value" in changed:
            self.tell(event="value", path=path, value=bytes(changed["Value"]).hex())
        elif interface == "org.bluez.Device1" and "Connected" in changed:
            self.tell(event="connected" if changed["Connected"] else "disconnected", path=path)
        self.look_again()

    # The central

    def do_address(self, done, failed):
        self.call(done, failed, ADAPTER, PROPERTIES, "Get", "org.bluez.Adapter1", "Address", answer=str)

    def do_secure_connections(self, done, failed, on):
        done(set_secure_connections(on))

    def do_find(self, done, failed, device):
        adapter = self.interface(ADAPTER, "org.bluez.Adapter1")
        adapter.SetDiscoveryFilter(dbus.Dictionary({"Transport": "le"}, signature="sv"))
        adapter.StartDiscovery()

        def heard(path):
            self.call(lambda _: done(path), failed, ADAPTER, "org.bluez.Adapter1", "StopDiscovery")

        def advertising():
            path = self.device(device)
            return path and (path if "RSSI" in self.objects()[path]["org.bluez.Device1"] else None)

        self.until(heard, failed, advertising)

    def do_connect(self, done, failed, device):
        """Answers with the services and their characteristics, once they are known. Where an attempt fails it tries again, as programs do."""
        path = self.device(device)
        refusals = []

        def is_ending():
            """Whether bluetoothd has told of the end of a link that the kernel has not put away yet. A Connect that 5.66 gets between the two
            is never answered. What the kernel has told by then it reads before it answers the question for its objects."""
            has_one = has_link(path[-17:].replace("_", ":"))
            return not self.objects().get(path, {}).get("org.bluez.Device1", {}).get("Connected") and has_one

        def tree():
            objects = self.objects()
            found = objects.get(path, {}).get("org.bluez.Device1", {})
            if not found.get("Connected"):
                return "lost"
            if not found.get("ServicesResolved"):
                return None
            services = {at: short(interfaces["org.bluez.GattService1"]["UUID"]) for at, interfaces in objects.items()
                        if "org.bluez.GattService1" in interfaces and at.startswith(path + "/")}
            characteristics = [interfaces["org.bluez.GattCharacteristic1"] for interfaces in objects.values()
                               if "org.bluez.GattCharacteristic1" in interfaces]
            return {uuid: sorted(short(one["UUID"]) for one in characteristics if one["Service"] == at)
                    for at, uuid in services.items()}

        def found_again(at):
            nonlocal path
            path = at
            attempt()

        def attempt():
            if is_ending():
                GLib.timeout_add(50, attempt)
                return False
            limit = []

            def in_time():
                """Whether this is the first answer to the attempt, and comes before its limit."""
                return bool(limit) and GLib.source_remove(limit.pop())

            def answered(_):
                if in_time():
                    self.until(done, failed, tree)

            def refused(error):
                if in_time():
                    again(error, error.get_dbus_name() == "org.bluez.Error.Failed")

            def unanswered():
                limit.clear()
                self.call(lambda _: None, lambda _: None, path, "org.bluez.Device1", "Disconnect")
                again(RuntimeError(f"no answer to Connect within {UNANSWERED} s"), True)
                return False

            limit.append(GLib.timeout_add_seconds(UNANSWERED, unanswered))
            self.call(answered, refused, path, "org.bluez.Device1", "Connect")
            # Once is enough for the timer.
            return False

        def again(error, passes):
            refusals.append(str(error))
            if len(refusals) == CONNECT_ATTEMPTS or not passes:
                failed(error)
                return
            self.tell(event="connect-refused", device=device, text=str(error))
            if path in self.objects():
                GLib.timeout_add(500, attempt)
            else:
                # bluetoothd has removed it, as it does half a minute after it was heard last.
                self.do_find(found_again, failed, device)

        attempt()

    def do_disconnect(self, done, failed, device):
        path = self.device(device)

        def gone():
            found = self.objects().get(path, {}).get("org.bluez.Device1", {})
            return None if found.get("Connected") else True

        self.call(lambda _: self.until(done, failed, gone), failed, path, "org.bluez.Device1", "Disconnect")

    def do_pair(self, done, failed, device):
        self.call(done, failed, self.device(device), "org.bluez.Device1", "Pair")

    def do_forget(self, done, failed, device=None):
        """Removes the device, or all: their keys as well."""
        for path, interfaces in self.objects().items():
            found = interfaces.get("org.bluez.Device1")
            if found and (device is None or found.get("Name") == device):
                # An attempt is ended as well: a device that is removed during one lives on, with its key.
                for end in (lambda: self.interface(path, "org.bluez.Device1").Disconnect(timeout=PATIENCE),
                            lambda: self.interface(ADAPTER, "org.bluez.Adapter1").RemoveDevice(path)):
                    try:
                        end()
                    except dbus.DBusException as error:
                        if error.get_dbus_name() not in GONE:
                            raise
        done()

    def do_device(self, done, failed, device):
        """What bluetoothd says of it; nothing where it does not know it."""
        path = self.device(device)
        found = self.objects().get(path, {}).get("org.bluez.Device1")
        flags = {name: bool(found[name]) for name in ["Paired", "Bonded", "Connected"] if name in found} if found else None
        done(found and {"Address": str(found["Address"]), "AddressType": str(found["AddressType"]), **flags})

    def do_read(self, done, failed, device, characteristic, offset=0):
        options = dbus.Dictionary({"offset": dbus.UInt16(offset)} if offset else {}, signature="sv")
        self.call(done, failed, self.characteristic(device, characteristic), "org.bluez.GattCharacteristic1", "ReadValue", options,
                  answer=lambda value: bytes(value).hex())

    def do_write(self, done, failed, device, characteristic, value, kind="request"):
        options = dbus.Dictionary({"type": kind}, signature="sv")
        self.call(done, failed, self.characteristic(device, characteristic), "org.bluez.GattCharacteristic1", "WriteValue",
                  octets(value), options)

    def do_subscribe(self, done, failed, device, characteristic):
        path = self.characteristic(device, characteristic)
        self.call(lambda _: done(path), failed, path, "org.bluez.GattCharacteristic1", "StartNotify")

    def do_acquire(self, done, failed, device, characteristic):
        """Subscribes by a socket: of values that come quickly PropertiesChanged tells only the last."""
        path = self.characteristic(device, characteristic)

        def received(file, _):
            # All that there is at once: bluetoothd drops what finds the socket full.
            values = []
            while True:
                try:
                    value = os.read(file, 65536)
                except BlockingIOError:
                    break
                if not value:
                    break
                values.append(json.dumps({"event": "value", "path": path, "value": value.hex()}))
            if values:
                print("\n".join(values), flush=True)
            else:
                os.close(file)
            return bool(values)

        def acquired(file, mtu):
            file = file.take()
            os.set_blocking(file, False)
            GLib.io_add_watch(file, GLib.IO_IN | GLib.IO_HUP, received)
            return path

        self.call(done, failed, path, "org.bluez.GattCharacteristic1", "AcquireNotify", dbus.Dictionary({}, signature="sv"),
                  answer=acquired)

    def do_unsubscribe(self, done, failed, device, characteristic):
        self.call(done, failed, self.characteristic(device, characteristic), "org.bluez.GattCharacteristic1", "StopNotify")

    # The user

    def do_agent(self, done, failed, capability):
        self.agent = Agent(self.bus, self.tell)
        manager = self.interface("/org/bluez", "org.bluez.AgentManager1")
        manager.RegisterAgent(Agent.PATH, capability)
        manager.RequestDefaultAgent(Agent.PATH)
        done()

    def do_reply(self, done, failed, value):
        self.agent.reply(value)
        done()

    # The peripheral

    def do_serve(self, done, failed, name, services):
        self.application = Application(self.bus, services, self.tell)
        advertisement = Advertisement(self.bus, name, list(services))
        nothing = dbus.Dictionary({}, signature="sv")
        advertise = lambda _: self.call(done, failed, ADAPTER, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                                        advertisement.path, nothing)
        self.call(advertise, failed, ADAPTER, "org.bluez.GattManager1", "RegisterApplication", Application.PATH, nothing)

    def do_notify(self, done, failed, characteristic, values):
        for value in values:
            self.application.characteristics[characteristic].notify(bytes.fromhex(value))
        done()


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    loop = GLib.MainLoop()
    Driver(loop).tell(event="ready")
    loop.run()


if __name__ == "__main__":
    sys.exit(main())
