"""What happens between programs on the ground that is tested and devices outside. Each story is told once for each ground; test_rows.py
has what it shows. Programs that are waited for are given time enough for a busy machine."""

import contextlib
import json
import time

from guest import PACKAGE
from hotplug import HotPlug
from programs import wait_until

LONG_TIME = 240
CHINESE = "你好，世界！今天天气真好，我们一起去看看远方的朋友吧。🎉👋🏽😀"
# 400 octets and more, which is more than one packet.
LONG_TEXT = (CHINESE * 10).encode()[:418].decode(errors="ignore")
LOCK = PACKAGE / "Examples" / "Devices" / "lock.json"
DOOR = {"name": "Door", "services": [{"uuid": "FFD0", "characteristics": [
    {"uuid": "FFD1", "properties": ["read"], "permissions": ["readEncryptionRequired"], "value": {"utf8": "closed"}}]}]}


def explore(stage):
    """A central walks the example peripheral of the articles, uses it and leaves."""
    owenli = stage.far("owenli", "Owenli")
    owenli.wait_for("advertising")
    explorer = stage.near("explorer", "Explorer", "Owenli", 3)
    assert explorer.finish(LONG_TIME) == 0, explorer.text
    owenli.wait_for("unsubscribed from")


def be_explored(stage):
    """The example peripheral, walked by a central outside."""
    owenli = stage.near("owenli", "Owenli")
    owenli.wait_for("advertising", LONG_TIME)
    explorer = stage.far("explorer", "Explorer", "Owenli", 3)
    assert explorer.finish(LONG_TIME) == 0, explorer.text
    owenli.wait_for("unsubscribed from", LONG_TIME)


def write_texts(stage):
    """The central of the chat example: short text, long text, the longest value, and one octet more."""
    stage.far("peripheral", "Chat", "peripheral").wait_for("advertising")
    central = stage.near("central", "Chat", "central", "short", LONG_TEXT, "x" * 512, "y" * 513, "last")
    assert central.finish(LONG_TIME) == 0, central.text


def take_texts(stage):
    """The peripheral of the chat example."""
    stage.near("peripheral", "Chat", "peripheral").wait_for("advertising", LONG_TIME)
    central = stage.far("central", "Chat", "central", "short", LONG_TEXT, "x" * 500, "y" * 513, "last")
    assert central.finish(LONG_TIME) == 0, central.text


def win_back(stage):
    """A device that is lost, and comes back; a program that is started again; a user who leaves, and comes back."""
    lamp = stage.far("lamp", "Reconnect", "peripheral", "SMART_lamp")
    lamp.wait_for("advertising")
    stage.far("other", "Owenli").wait_for("advertising")
    memory = stage.path("memory.json")
    first = stage.near("first", "Reconnect", "central", "--memory", memory, "SMART_lamp")
    first.wait_for("battery 87 %", LONG_TIME)
    lamp.kill()
    first.wait_for("waiting for SMART_lamp", LONG_TIME)
    lamp = stage.far("lamp", "Reconnect", "peripheral", "SMART_lamp")
    first.wait_for("battery 87 %", LONG_TIME, 2)
    stage.leave(first)
    second = stage.near("second", "Reconnect", "central", "--memory", memory)
    second.wait_for("battery 87 %", LONG_TIME)
    second.send("disconnect\n")
    second.wait_for("disconnected", LONG_TIME)
    stage.leave(second)
    third = stage.near("third", "Reconnect", "central", "--memory", memory, "--budget", 20)
    third.wait_for("the list is complete", LONG_TIME)
    third.send("choose SMART_lamp\n")
    third.wait_for("page of SMART_lamp", LONG_TIME)
    # Linux 6.1.192 stops in hci_chan_del when a link is lost while the first request of its client is open.
    third.wait_for("battery 87 %", LONG_TIME)
    lamp.kill()
    begin = time.monotonic()
    third.wait_for("stopped trying: the device did not turn up in time", LONG_TIME)
    # It began to try at the latest when the link was lost, which takes its time as well.
    assert time.monotonic() - begin > 19
    for program in (first, second, third):
        assert "Owenli" not in program.text
    # With the choice the list has ended, and its scan.
    assert "the list is complete" not in first.text, first.text


def verify(stage):
    """Of several devices of one kind only the wanted one gets commands, when it has proved who it is."""
    stage.run("codecs", "VendorDevice", "check")
    strangers = [stage.far("stranger", "VendorDevice", "peripheral", "--name", "NIMBUS", "--address", "C0:FF:EE:00:00:02"),
                 stage.far("swindler", "VendorDevice", "peripheral", "--swindler", "yes")]
    for stranger in strangers:
        stranger.wait_for("advertising")
    central = stage.near("central", "VendorDevice", "central", "c0-ff-ee-00-00-01")
    central.wait_for("not taken: ", LONG_TIME, 2)
    central.wait_for("nothing yet: press a button", LONG_TIME)
    device = stage.far("device", "VendorDevice", "peripheral", "--name", "nimbus", "--deaf", 1)
    assert central.finish(LONG_TIME) == 0, central.text
    device.wait_for("light 40")
    for stranger in strangers:
        assert "light" not in stranger.text


def be_verified(stage):
    """The devices of the examples on the ground that is tested, used by their centrals outside."""
    stage.near("lamp", "Reconnect", "peripheral", "SMART_lamp").wait_for("advertising", LONG_TIME)
    owner = stage.far("owner", "Reconnect", "central", "--memory", stage.folder / "memory.json", "SMART_lamp")
    owner.wait_for("battery 87 %", LONG_TIME)
    owner.send("disconnect\n")
    owner.wait_for("disconnected", LONG_TIME)
    stage.leave(dict(stage.programs)["lamp"])
    device = stage.near("device", "VendorDevice", "peripheral", "--deaf", 1)
    device.wait_for("advertising", LONG_TIME)
    central = stage.far("central", "VendorDevice", "central", "C0:FF:EE:00:00:01")
    assert central.finish(LONG_TIME) == 0, central.text
    device.wait_for("light 40", LONG_TIME)


def command(stage):
    """Two locks of one name, told apart by the address in their manufacturer data; one is spoken to by its description."""
    description = json.loads(LOCK.read_text())
    for name, number, charge in [("left", "03", 64), ("right", "04", 12)]:
        description["simulation"]["advertise"]["manufacturer"]["data"] = f"01 C0 FF EE 01 02 {number}"
        description["simulation"]["state"]["charge"] = charge
        path = stage.folder / f"{name}.json"
        path.write_text(json.dumps(description))
        stage.far(name, "ble", "serve", path).wait_for("Advertising")
    lock = stage.share("lock.json", LOCK.read_text())
    target = ["--target", "C0:FF:EE:01:02:04", "--timeout", 60]
    stage.run("status", "ble", "command", lock, "status", *target)
    stage.run("unlocked", "ble", "command", lock, "unlock", "pin=123456", *target)
    stage.run("refused", "ble", "command", lock, "unlock", "pin=000000", *target, status=74)


def scan(stage):
    """What is around, by name and by service, once and each time; the strength of a link; a recording that is cut off."""
    stage.far("owenli", "ble", "serve", "owenli").wait_for("Advertising")
    stage.far("battery", "ble", "serve", "battery", "--name", "Cell").wait_for("Advertising")
    listed = stage.near("listed", "ble", "scan", "--duration", 0)
    listed.wait_for("Owenli", LONG_TIME)
    listed.wait_for("Cell", LONG_TIME)
    time.sleep(2)
    stage.leave(listed)
    stage.run("filtered", "ble", "scan", "--service", "180F", "--count", 1, "--duration", 60)
    assert "Owenli" not in stage.text("filtered")
    each = stage.near("each", "ble", "scan", "--name", "Owenli", "--duplicates", "--duration", 0)
    each.wait_for("Owenli", LONG_TIME, 3)
    stage.leave(each)
    stage.run("strength", "ble", "rssi", "Owenli", "--count", 2, "--interval", 0.1, "--timeout", 60)
    file = stage.path("recorded.sqlite")
    recorder = stage.near("recorder", "ble", "record", "Owenli", file, "--timeout", 60)
    recorder.wait_for("Connected to", LONG_TIME)
    owenli = dict(stage.programs)["owenli"]
    owenli.wait_for("notified FFF1", LONG_TIME, owenli.text.count("notified FFF1") + 3)
    # Longer than what was seen waits before it is in the file.
    time.sleep(1)
    stage.leave(recorder)
    stage.run("kept", "ble", "history", file, "values", "--csv")


def pair(stage):
    """A protected value: paired for it, forgotten on both sides, and paired anew. What either side says that was forgotten alone is in
    test_matrix_pairing.py."""
    profile = stage.folder / "door.json"
    profile.write_text(json.dumps(DOOR))
    options = ["--timeout", 60, "--io", "no-input-no-output"]
    server = stage.far("Door", "ble", "serve", profile, "--io", "no-input-no-output")
    server.wait_for("Advertising")
    stage.run("paired", "ble", "pair", "Door", *options)
    stage.run("read", "ble", "read", "Door", "FFD1", *options)
    stage.run("forgotten", "ble", "unpair", "Door", "--adapter", stage.adapter)
    server.kill()
    removal = stage.far("Door", "ble", "bonds", "remove", "--all")
    assert removal.finish() == 0, removal.text
    stage.far("Door", "ble", "serve", profile, "--io", "no-input-no-output").wait_for("Advertising")
    read_and_pair(stage, "again", "Door", "FFD1", *options)


def read_and_pair(stage, name, *words):
    """Reads a value that the device demands a pairing for. bluetoothd 5.66 was seen to pair and not to send the read again, which then ends
    after the 30 s that an answer may take: the value is read with the keys that are there by then."""
    reading = stage.near(name, "ble", "read", *words)
    status = reading.finish(240)
    if stage.ground == "bluez" and status == 74 and "Paired with" in reading.text and "ATT error 0x0E" in reading.text:
        stage.run(name, "ble", "read", *words)
    else:
        assert status == 0, f"read {words}: {status}: {reading.text[-3000:]}"


def pipe(stage):
    """Channels, opened from here and from outside, with octets both ways."""
    listener = stage.far("Pipe", "ble", "l2cap", "listen", "--name", "Pipe")
    listener.wait_for("Advertising")
    caller = stage.near("caller", "ble", "l2cap", "connect", "Pipe", "--timeout", 60)
    caller.wait_for("A channel to", LONG_TIME)
    exchange(caller, listener)
    caller.kill()
    listener.kill()
    listener = stage.near("listener", "ble", "l2cap", "listen", "--name", "Well")
    listener.wait_for("Advertising", LONG_TIME)
    caller = stage.far("bucket", "ble", "l2cap", "connect", "Well", "--timeout", 60)
    caller.wait_for("A channel to", LONG_TIME)
    exchange(caller, listener)


def exchange(one, other):
    for number, (sender, receiver) in enumerate([(one, other), (other, one)]):
        sender.send(f"octets {number}\n")
        receiver.wait_for(f"octets {number}", LONG_TIME)


def talk(stage):
    """A chat in which either side may be the central: text, JSON, emoji; one leaves and comes back."""
    near = stage.near("near", "ble", "chat", "--name", "Near")
    far = stage.far("far", "ble", "chat", "--name", "Far")
    near.send(f"{CHINESE}\n")
    far.wait_for(CHINESE, LONG_TIME)
    far.send('{"text": "json", "list": [1, 2]}\n')
    near.wait_for('{"text": "json", "list": [1, 2]}', LONG_TIME)
    far.kill()
    near.send("said while you were away\n")
    far = stage.far("far", "ble", "chat", "--name", "Far")
    far.wait_for("said while you were away", LONG_TIME)
    far.send("back 😀\n")
    near.wait_for("back 😀", LONG_TIME)


def flow(stage):
    """More than a queue holds, by writes without response and by notifications: what a chat's two roles send."""
    for near_role, far_role in [("central", "peripheral"), ("peripheral", "central")]:
        near = stage.near(f"near {near_role}", "ble", "chat", "--name", "Near", f"--{near_role}")
        far = stage.far("far", "ble", "chat", "--name", "Far", f"--{far_role}")
        text = " ".join(f"{near_role} {number}" for number in range(1_000))
        near.send(text + "\nthe end\n")
        far.wait_for("the end", LONG_TIME)
        # Nothing lost, nothing doubled, in order.
        assert far.text.count(text) == 1
        near.kill()
        far.kill()


@contextlib.contextmanager
def switched_off(stage):
    """The adapter is taken away: bluetoothd's is switched off, the kernel's pulled out."""
    adapters = HotPlug(stage.lab)
    if stage.ground == "bluez":
        wait_until(lambda: "Powered: no" in stage.lab.guest.run("bluetoothctl power off; bluetoothctl show")[1], "it is off")
    else:
        adapters.unplug()
    try:
        yield
    finally:
        if stage.ground == "bluez":
            stage.lab.guest.run("bluetoothctl power on")
            adapters.wait_until_powered()
        else:
            adapters.plug()


def switch_off(stage):
    """The adapter goes while a device is connected, and comes back; it is not there when a program starts, and comes."""
    stage.far("lamp", "Reconnect", "peripheral", "SMART_lamp").wait_for("advertising")
    # A device of its own: the name that was read of it is kept, and shown by later programs.
    stage.far("Nimbus", "VendorDevice", "peripheral").wait_for("advertising")
    central = stage.near("central", "Reconnect", "central", "--memory", stage.path("memory.json"), "SMART_lamp")
    central.wait_for("battery 87 %", LONG_TIME)
    with switched_off(stage):
        central.wait_for("the device is gone: Bluetooth is in state", LONG_TIME)
    central.wait_for("status: SMART_lamp is back", LONG_TIME)
    stage.leave(central)
    with switched_off(stage):
        vendor = stage.near("vendor", "VendorDevice", "central")
        vendor.wait_for("Bluetooth", LONG_TIME)
    assert vendor.finish(LONG_TIME) == 0, vendor.text
