"""What both directions of the matrix have in common: services, and what is said of values."""

SECRET = "secret"
# As long as a value may be.
LONG = "".join(chr(33 + number % 90) for number in range(512))


def octets(text):
    return text.encode().hex()


def ours(*characteristics):
    """Services of a profile of ours."""
    return [{"uuid": "FFF0", "characteristics": list(characteristics)}]


# Characteristics of ours, by what they are good for.
ECHO = {"uuid": "FFF2", "properties": ["read", "write", "writeWithoutResponse"], "value": {"utf8": "hello"}}
GUARDED = {"uuid": "FFF3", "properties": ["read"], "permissions": ["readEncryptionRequired"], "value": {"utf8": SECRET}}
FIXED = {"uuid": "FFF5", "properties": ["read"], "value": {"utf8": LONG}}


def counting(uuid, kind, seconds):
    """One that counts, by notifications or indications."""
    return {"uuid": uuid, "properties": [kind], "notify": {"every": seconds, "values": [{"utf8": "{n}"}]}}


# What is typed into `ble serve` (its standard input has to be a pipe).
TYPED = {"uuid": "FFF1", "properties": ["notify"], "notify": {"from": "input"}}


def type_numbers(server, count, come):
    """Numbers from 0 as notifications of TYPED. `come` waits until so many have come: an emulated bluetoothd is not sent more than it has room
    for, however slow the machine is."""
    for first in range(0, count, 50):
        more = range(first, min(first + 50, count))
        server.send("".join(f"{number}\n" for number in more))
        come(more.stop)


# The same as bluetoothd is told of them.
THEIR_ECHO = {"fff2": {"flags": ["read", "write", "write-without-response"], "value": octets("hello")}}
THEIR_FIXED = {"fff5": {"flags": ["read"], "value": octets(LONG)}}


def their_guarded(method):
    flag = "encrypt-authenticated-read" if method.is_authenticated else "encrypt-read"
    return {"fff3": {"flags": [flag], "value": octets(SECRET)}}


def serve(cell, characteristics):
    """bluetoothd is the peripheral; gives the name that it has on the air."""
    name = f"Daemon{cell.name}"
    cell.daemon.call("serve", name=name, services={"fff0": characteristics})
    return name


def keys(cell):
    """What bluetoothd keeps of the devices that it knows, keys as well."""
    return cell.lab.guest.run("cat /var/lib/bluetooth/*/*/info 2>/dev/null")[1]
