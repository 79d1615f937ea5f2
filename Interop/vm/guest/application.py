"""A peripheral's services as bluetoothd wants them: objects on the bus, which it asks for values."""

import dbus
import dbus.service

PROPERTIES = "org.freedesktop.DBus.Properties"
SERVICE = "org.bluez.GattService1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
ADVERTISEMENT = "org.bluez.LEAdvertisement1"


class InvalidOffset(dbus.DBusException):
    _dbus_error_name = "org.bluez.Error.InvalidOffset"


class Part(dbus.service.Object):
    """An object with properties that do not change."""

    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path = dbus.ObjectPath(path)
        self.interface = interface
        self.properties = dbus.Dictionary(properties, signature="sv")

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties if interface == self.interface else dbus.Dictionary({}, signature="sv")


class Characteristic(Part):
    def __init__(self, bus, path, service, uuid, flags, value, tell):
        super().__init__(bus, path, CHARACTERISTIC, {
            "UUID": uuid, "Service": service.path, "Flags": dbus.Array(flags, signature="s")})
        self.uuid = uuid
        self.value = value
        self.tell = tell

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        offset = int(options.get("offset", 0))
        if offset > len(self.value):
            raise InvalidOffset("behind the end")
        return dbus.Array(self.value[offset:], signature="y")

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}", out_signature="")
    def WriteValue(self, value, options):
        offset = int(options.get("offset", 0))
        if offset > len(self.value):
            raise InvalidOffset("behind the end")
        self.value = self.value[:offset] + bytes(value)
        self.tell(event="written", characteristic=self.uuid, value=self.value.hex())

    @dbus.service.method(CHARACTERISTIC, in_signature="", out_signature="")
    def StartNotify(self):
        self.tell(event="subscribed", characteristic=self.uuid)

    @dbus.service.method(CHARACTERISTIC, in_signature="", out_signature="")
    def StopNotify(self):
        self.tell(event="unsubscribed", characteristic=self.uuid)

    @dbus.service.method(CHARACTERISTIC, in_signature="", out_signature="")
    def Confirm(self):
        self.tell(event="confirmed", characteristic=self.uuid)

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    def notify(self, value):
        self.value = value
        self.PropertiesChanged(CHARACTERISTIC, dbus.Dictionary({"Value": dbus.Array(value, signature="y")}, signature="sv"),
                               dbus.Array([], signature="s"))


class Application(dbus.service.Object):
    """All services: {UUID: {UUID of a characteristic: {"flags": [...], "value": hexadecimal}}}."""

    PATH = dbus.ObjectPath("/lab/application")

    def __init__(self, bus, services, tell):
        super().__init__(bus, self.PATH)
        self.parts = []
        self.characteristics = {}
        for number, (uuid, characteristics) in enumerate(services.items()):
            service = Part(bus, f"{self.PATH}/service{number}", SERVICE, {"UUID": uuid, "Primary": True})
            self.parts.append(service)
            for index, (each, content) in enumerate(characteristics.items()):
                part = Characteristic(bus, f"{service.path}/characteristic{index}", service, each, content["flags"],
                                      bytes.fromhex(content.get("value", "")), tell)
                self.parts.append(part)
                self.characteristics[each] = part

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", in_signature="", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return dbus.Dictionary({part.path: {part.interface: part.properties} for part in self.parts}, signature="oa{sa{sv}}")


class Advertisement(Part):
    def __init__(self, bus, name, services):
        super().__init__(bus, "/lab/advertisement", ADVERTISEMENT, {
            "Type": "peripheral", "LocalName": name, "ServiceUUIDs": dbus.Array(services, signature="s"),
            "MinInterval": dbus.UInt32(50), "MaxInterval": dbus.UInt32(60)})

    @dbus.service.method(ADVERTISEMENT, in_signature="", out_signature="")
    def Release(self):
        pass
