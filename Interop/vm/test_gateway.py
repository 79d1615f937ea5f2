"""What a gateway needs of the tool: a service that is started before its adapter is there, and what `ble adapters --json` counts."""

import json

import pytest

from hotplug import HotPlug
from programs import wait_until

ENVIRONMENT = "export LD_LIBRARY_PATH=/host/lib HOME=/tmp;"


def adapters(lab):
    """The document, and of it the entries of running programs by the adapter's name."""
    status, output = lab.guest.run(f"{ENVIRONMENT} /host/ble adapters --json 2>/dev/null")
    assert status == 0
    document = json.loads(output)
    return document, {entry["name"]: entry for program in document["programs"] for entry in program["adapters"]}


@pytest.mark.parametrize("adapter", [pytest.param("hci", marks=pytest.mark.ground("hci")),
                                     pytest.param("bluez", marks=pytest.mark.ground("bluez"))])
def test_i12_1_a_service_waits_for_an_adapter_that_is_plugged_in_later(lab, adapter):
    hot_plug = HotPlug(lab)
    hot_plug.unplug()
    try:
        service = lab.guest.start(f"{ENVIRONMENT} exec /host/ble serve owenli --adapter {adapter} 2>&1")
        service.wait_for(f"Waiting for the adapter {adapter}: it is missing, or another program uses it.")
        status, output = lab.guest.run(f"{ENVIRONMENT} /host/ble read Owenli FFF1 --adapter {adapter} 2>&1")
        assert status == 69 and "Bluetooth is not available" in output
    finally:
        hot_plug.plug()
    service.wait_for("Advertising")
    walk = lab.outside("explore", "Owenli", "--adapter", "radio:vm")
    assert walk.process.wait(120) == 0 and "Service FFE0" in walk.text
    assert service.interrupt()[0] in (0, 130)
    hot_plug.wait_until_powered()


@pytest.mark.parametrize("adapter", [pytest.param("hci", marks=pytest.mark.ground("hci")),
                                     pytest.param("bluez", marks=pytest.mark.ground("bluez"))])
def test_i12_5_adapters_has_the_counters_of_a_running_program_and_of_the_kernel(lab, adapter):
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    hot_plug = HotPlug(lab)
    hot_plug.wait_until_powered()
    before = [entry["kernel_counters"] for entry in adapters(lab)[0]["adapters"] if entry["name"] == "hci:0"][0]
    watch = lab.guest.start(f"{ENVIRONMENT} exec /host/ble watch Owenli --lines --budget 600 --adapter {adapter} 2>&1")
    watch.wait_for("ready")
    document, own = adapters(lab)
    assert own[adapter]["resets"] == 0 and own[adapter]["lost_links"] == {}
    assert (own[adapter]["received_octets"] or 0) > 0 if adapter == "hci" else own[adapter]["received_octets"] is None
    kernel = [entry["kernel_counters"] for entry in document["adapters"] if entry["name"] == "hci:0"][0]
    # The guest's driver (hci_vhci) counts what it sends only.
    assert kernel["sent_octets"] > before["sent_octets"]
    # A link that the device ends, and an adapter that is pulled out under the next one.
    server.stop()
    wait_until(lambda: sum(adapters(lab)[1][adapter]["lost_links"].values()) == 1, lambda: str(adapters(lab)[1]))
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    watch.wait_for("ready again")
    hot_plug.unplug()
    hot_plug.plug()
    watch.wait_for("ready again", count=2)
    counters = adapters(lab)[1][adapter]
    assert counters["resets"] == 1 and sum(counters["lost_links"].values()) == 2, counters
    assert watch.interrupt()[0] in (0, 130)
    # Who has ended is not listed.
    assert adapters(lab)[1] == {}
    server.stop()
    hot_plug.wait_until_powered()
