"""The tool in the guest on the machine's own adapter, which it shares with all others by way of the daemon's D-Bus interface."""

import json
import pathlib
import re
import subprocess

import pytest

from steps import TYPED, ours, type_numbers

EVERYTHING = pathlib.Path(__file__).resolve().parents[1] / "profiles" / "everything.json"


@pytest.fixture(scope="module")
def everything(lab):
    server = lab.outside("serve", EVERYTHING, "--adapter", "radio:vm")
    server.wait_for("Advertising")
    yield server
    server.stop()


def test_a_device_is_explored(lab, everything):
    status, output = lab.ble("explore", "Everything", "--adapter", "bluez:hci0", seconds=120)
    assert status == 0
    # Longer than the MTU.
    assert "Long value, read in p\"" in output


@pytest.mark.parametrize("value, options", [("kernel", []), ("x" * 400, []), ("quick", ["--without-response"])])
def test_values_are_written_and_read(lab, everything, value, options):
    assert lab.ble("write", "Everything", "FFF2", value, *options, "--adapter", "bluez", seconds=120)[0] == 0
    status, output = lab.ble("read", "Everything", "FFF2", "--adapter", "bluez", seconds=120)
    assert status == 0 and f'"{value}"' in output


@pytest.mark.parametrize("characteristic, text", [("FFF1", "send data :"), ("FFE2", "confirm :")])
def test_notifications_and_indications_come_in_order(lab, everything, characteristic, text):
    status, output = lab.ble("subscribe", "Everything", characteristic, "--count", "10", "--adapter", "bluez", seconds=120)
    assert status == 0
    numbers = [int(line.split(":")[1].split('"')[0]) for line in output.splitlines() if text in line]
    assert numbers == list(range(numbers[0], numbers[0] + 10))


def test_a_thousand_notifications_come_in_order(lab, tmp_path):
    profile = tmp_path / "typed.json"
    profile.write_text(json.dumps({"name": "Typed", "services": ours(TYPED)}))
    server = lab.outside("serve", profile, "--adapter", "radio:vm/Typed", input=subprocess.PIPE)
    server.wait_for("Advertising")
    client = lab.start("subscribe", "Typed", "FFF1", "--count", "1000", "--adapter", "bluez")
    server.wait_for("subscribed FFF1", 120)
    type_numbers(server, 1000, lambda number: client.wait_for(f'"{number - 1}"'))
    status, output = client.wait()
    server.stop()
    assert status == 0, output[-2000:]
    assert re.findall(r'"(\d+)"', output) == [str(number) for number in range(1000)]


def test_the_strength_of_a_link_is_the_kernels(lab, everything):
    """The guest's user is root, who has the capability."""
    status, output = lab.ble("rssi", "Everything", "--count", "2", "--duration", "30", "--adapter", "bluez", seconds=120)
    assert status == 0 and output.count("dBm") >= 2


def test_two_programs_share_the_link(lab, everything):
    """One that subscribes, and one that reads meanwhile and leaves."""
    first = lab.start("subscribe", "Everything", "FFF1", "--adapter", "bluez")
    first.wait_for("send data :")
    status, output = lab.ble("read", "Everything", "FFE1", "--adapter", "bluez", seconds=120)
    assert status == 0 and "Long value" in output
    seen = first.text.count("send data :")
    first.wait_for(f"send data : {seen + 5}")
    assert first.interrupt()[0] in (0, 130)


def test_a_peer_that_ends_the_link_is_told(lab):
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    client = lab.start("subscribe", "Owenli", "FFF1", "--adapter", "bluez")
    client.wait_for("send data :")
    server.stop()
    status, output = client.wait()
    assert status == 74 and "has disconnected from us" in output


def test_the_state_is_the_daemons(lab):
    lab.guest.run("bluetoothctl power off")
    status, output = lab.ble("scan", "--timeout", "2", "--adapter", "bluez")
    assert status == 69
    lab.guest.run("bluetoothctl power on")
    assert lab.ble("scan", "--timeout", "2", "--adapter", "bluez")[0] == 0


def test_a_daemon_that_is_killed_is_back_for_the_next_program(lab, everything):
    client = lab.start("subscribe", "Everything", "FFF1", "--adapter", "bluez")
    client.wait_for("send data :")
    lab.guest.run("kill -9 $(pidof bluetoothd)")
    status, output = client.wait()
    assert status != 0 and "the Bluetooth daemon has ended" in output
    for _ in range(50):
        if "Powered: yes" in lab.guest.run("bluetoothctl show")[1]:
            break
    status, output = lab.ble("read", "Everything", "FFE1", "--adapter", "bluez", seconds=120)
    assert status == 0 and "Long value" in output
