"""The tool in the guest on the machine's own adapter, which it takes from the kernel by the HCI user channel."""

import pytest


@pytest.fixture
def owenli(lab):
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    yield server
    server.stop()


def powered(lab):
    return "Powered: yes" in lab.guest.run("bluetoothctl show")[1]


def wait_until_powered(lab):
    for _ in range(100):
        if powered(lab):
            return
    raise AssertionError("the daemon has not switched its adapter on again")


@pytest.mark.parametrize("adapter", ["hci", "hci:0"])
def test_a_device_is_explored_read_written_and_subscribed_to(lab, owenli, adapter):
    status, output = lab.ble("explore", "Owenli", "--adapter", adapter)
    assert status == 0 and "Service FFF0" in output and '"Hello from Owenli"' in output
    assert lab.ble("write", "Owenli", "FFF2", "kernel", "--adapter", adapter)[0] == 0
    assert lab.ble("read", "Owenli", "FFF2", "--adapter", adapter) == (0, '"kernel" (6b65726e656c)\n')
    status, output = lab.ble("subscribe", "Owenli", "FFF1", "--count", "2", "--adapter", adapter)
    assert status == 0 and output.count("send data :") == 2


def test_a_device_is_served(lab):
    server = lab.guest.start("export LD_LIBRARY_PATH=/host/lib; exec /host/ble serve owenli --adapter hci 2>&1")
    server.wait_for("Advertising")
    walk = lab.outside("explore", "Owenli", "--adapter", "radio:vm")
    assert walk.process.wait(60) == 0 and "Service FFE0" in walk.text
    assert server.interrupt()[0] in (0, 130)


def test_the_adapter_is_switched_on_again_for_the_daemon(lab, owenli):
    wait_until_powered(lab)
    assert lab.ble("scan", "--timeout", "2", "--adapter", "hci")[0] == 0
    wait_until_powered(lab)


def test_the_errors_name_the_cause_and_what_to_type(lab):
    status, output = lab.ble("scan", "--timeout", "2", "--adapter", "hci:3")
    assert status == 69 and "hci:3: the adapters here are hci0 (" in output
    status, output = lab.ble("scan", "--timeout", "2", "--adapter", "hci:00:11:22:33:44:55")
    assert status == 69 and "hci:00:11:22:33:44:55: the adapters here are hci0 (" in output

    status, output = lab.ble("scan", "--timeout", "2", "--adapter", "hci", before="rfkill block bluetooth;")
    lab.guest.run("rfkill unblock bluetooth")
    assert status == 69 and "hci0: Bluetooth is blocked by rfkill: rfkill unblock bluetooth" in output
    wait_until_powered(lab)

    status, output = lab.guest.run(
        "export LD_LIBRARY_PATH=/host/lib; capsh --drop=cap_net_admin -- -c '/host/ble scan --timeout 2 --adapter hci' 2>&1")
    assert status == 69 and "hci0: the HCI user channel needs CAP_NET_ADMIN: sudo setcap cap_net_admin+ep /host/ble" in output


def test_a_second_program_learns_who_has_the_adapter(lab, owenli):
    first = lab.guest.start("export LD_LIBRARY_PATH=/host/lib; exec /host/ble scan --timeout 600 --adapter hci 2>&1")
    first.wait_for("Owenli")
    status, output = lab.ble("scan", "--timeout", "2", "--adapter", "hci:0")
    assert status == 69 and "another program has hci0 by the user channel (probably ble, process " in output
    assert first.interrupt()[0] in (0, 130)
