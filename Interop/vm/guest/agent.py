"""bluetoothd's user: what is asked of it is told outside, where the answer comes from."""

import dbus
import dbus.service

INTERFACE = "org.bluez.Agent1"


class Rejected(dbus.DBusException):
    _dbus_error_name = "org.bluez.Error.Rejected"


class Agent(dbus.service.Object):
    PATH = dbus.ObjectPath("/lab/agent")

    def __init__(self, bus, tell):
        super().__init__(bus, self.PATH)
        self.tell = tell
        self.pending = None

    def ask(self, question, answered, refused, **members):
        """Asks outside; `answered` gets what is said there, false is a refusal."""
        self.pending = (answered, refused)
        self.tell(event="asked", question=question, **members)

    def reply(self, value):
        (answered, refused), self.pending = self.pending, None
        if value is False:
            refused(Rejected("refused"))
        elif value is True:
            answered()
        else:
            answered(dbus.UInt32(value))

    @dbus.service.method(INTERFACE, in_signature="o", out_signature="u", async_callbacks=("answered", "refused"))
    def RequestPasskey(self, device, answered, refused):
        self.ask("passkey", answered, refused)

    @dbus.service.method(INTERFACE, in_signature="ou", out_signature="", async_callbacks=("answered", "refused"))
    def RequestConfirmation(self, device, passkey, answered, refused):
        self.ask("comparison", answered, refused, passkey=f"{int(passkey):06}")

    @dbus.service.method(INTERFACE, in_signature="o", out_signature="", async_callbacks=("answered", "refused"))
    def RequestAuthorization(self, device, answered, refused):
        self.ask("pairing", answered, refused)

    @dbus.service.method(INTERFACE, in_signature="ouq", out_signature="")
    def DisplayPasskey(self, device, passkey, entered):
        # It comes again for each digit that the other side says was typed.
        if not entered:
            self.tell(event="asked", question="shown", passkey=f"{int(passkey):06}")

    @dbus.service.method(INTERFACE, in_signature="os", out_signature="")
    def AuthorizeService(self, device, uuid):
        pass

    @dbus.service.method(INTERFACE, in_signature="", out_signature="")
    def Cancel(self):
        self.pending = None
        self.tell(event="cancelled")

    @dbus.service.method(INTERFACE, in_signature="", out_signature="")
    def Release(self):
        pass
