"""The tool in the guest as a peripheral on the adapter that bluetoothd has, seen from outside, with a pairing that begins there."""

import json

import pytest

SERVICES = [
    {"uuid": "FFE0", "characteristics": [
        {"uuid": "FFE1", "properties": ["read", "write", "writeWithoutResponse"], "value": {"utf8": "hello"}},
        {"uuid": "FFE2", "properties": ["read"], "permissions": ["readEncryptionRequired"], "value": {"utf8": "secret"}},
    ]},
]


def served(lab, profile="owenli"):
    server = lab.start("serve", profile, "--adapter", "bluez")
    server.wait_for("Advertising")
    return server


def ours(lab, *words, status=0, device="near"):
    program = lab.outside(*words, "--adapter", f"radio:vm/{device}")
    assert program.finish(120) == status, program.text
    return program.text


@pytest.fixture
def server(lab):
    server = served(lab)
    yield server
    server.interrupt()


@pytest.fixture
def locked(lab):
    """A server with a value that only paired devices may read."""
    (lab.share / "locked.json").write_text(json.dumps({"name": "Locked", "services": SERVICES}))
    server = served(lab, "/host/locked.json")
    yield server
    server.interrupt()


def test_a_device_is_explored_read_written_and_subscribed_to(lab, server):
    walk = ours(lab, "explore", "Owenli")
    assert "Service FFF0" in walk and '"Hello from Owenli"' in walk
    ours(lab, "write", "Owenli", "FFF2", "outside")
    assert '"outside"' in ours(lab, "read", "Owenli", "FFF2")
    assert ours(lab, "subscribe", "Owenli", "FFF1", "--count", "2").count("send data :") == 2


def test_what_is_served_comes_back_after_the_daemon_was_started_again(lab, server):
    assert "Service FFF0" in ours(lab, "explore", "Owenli")
    before = lab.guest.run("pidof bluetoothd")[1].strip()
    lab.guest.run(f"kill -9 {before}")
    # Until the next daemon resets the adapter, the kernel advertises what the killed one had registered, and then ends the link.
    server.wait_for("Advertising", 120, 2)
    assert "Service FFF0" in ours(lab, "explore", "Owenli")


def test_a_protected_value_is_read_after_a_pairing_that_the_server_allows(lab, locked):
    assert '"secret"' in ours(lab, "read", "Locked", "FFE2", device="pairing")
    ours(lab, "bonds", "remove", "--all", device="pairing")
    # The daemon's key is of no use to anybody now.
    lab.remove_devices()
