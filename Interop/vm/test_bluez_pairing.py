"""The tool in the guest has bluetoothd pair with a device outside, uses the key, and has it forgotten."""

import json

import pytest

SERVICES = [
    {"uuid": "FFE0", "characteristics": [
        {"uuid": "FFE2", "properties": ["read"], "permissions": ["readEncryptionRequired"], "value": {"utf8": "secret"}},
    ]},
]


@pytest.fixture
def locked(lab):
    """A device outside with a value that only paired devices may read."""
    profile = lab.folder / "locked-outside.json"
    profile.write_text(json.dumps({"name": "Locked", "services": SERVICES}))
    server = lab.outside("serve", profile, "--adapter", "radio:vm/locked")
    server.wait_for("Advertising")
    yield server
    server.stop()


def test_a_device_is_paired_with_read_listed_and_forgotten(lab, locked):
    status, output = lab.ble("pair", "Locked", "--adapter", "bluez", seconds=150)
    assert status == 0 and "Paired with 'Locked'." in output
    status, output = lab.ble("pair", "Locked", "--adapter", "bluez", seconds=150)
    assert status == 0 and "lready" in output
    status, output = lab.ble("read", "Locked", "FFE2", "--adapter", "bluez", seconds=120)
    assert status == 0 and '"secret"' in output
    status, output = lab.ble("bonds", "list", "--adapter", "bluez")
    assert status == 0 and "'Locked'" in output
    status, output = lab.ble("unpair", "Locked", "--adapter", "bluez")
    assert status == 0 and "has forgotten 'Locked'" in output
    status, output = lab.ble("bonds", "list", "--adapter", "bluez")
    assert status == 0 and "Locked" not in output
