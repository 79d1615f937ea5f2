"""The fleet that a broker knows, in the explorer of `ble web --fleet`."""
import subprocess

import pytest
from selenium.webdriver.common.keys import Keys

from explorer import TOOL
from fleet import Broker, FleetExplorer
from test_answers import until
from test_interface import CHECKS

GATEWAYS = "[aria-label='Gateways'] tbody"
DEVICES = "[aria-label='Devices'] tbody"
HOSTILE = "<img src=x onerror=window.ran=1>\u202e"


@pytest.fixture
def broker(tmp_path):
    one = Broker(tmp_path)
    yield one
    one.stop()


@pytest.fixture
def demo(broker, tmp_path):
    one = FleetExplorer(broker, tmp_path)
    yield one
    one.end()


@pytest.fixture
def fleet(broker):
    """Two gateways, of which one keeps two devices."""
    broker.gateway("attic", devices=2)
    broker.gateway("hall", status="offline")
    broker.device("attic", "owenli", "status", "status", retain=True, status="online")
    broker.device("attic", "owenli", "value", "value/180F-2A19", retain=True, name="Owenli", value={"hex": "57", "utf8": "W"},
                  meaning="87 %", quantity={"value": 87, "unit": "%"})
    broker.device("attic", "lamp", "status", "status", retain=True, status="offline")
    return broker


def rows(one, table):
    """The texts of a table's cells, row by row."""
    return one.browser.run("return [...document.querySelectorAll(arguments[0] + ' tr')].map((row) => [...row.children].map((cell) => cell.textContent))", table)


def test_gateways_and_devices_are_shown_and_followed(fleet, page):
    """I17.5"""
    one = page()
    one.go("Fleet")
    one.until(lambda: [row[:5] for row in rows(one, GATEWAYS)] == [
        ["attic", "online", "2026-11-27 09:08:07", "2", "1.2.3"], ["hall", "offline", "2026-11-27 09:08:07", "1", "1.2.3"]], "both gateways")
    one.until(lambda: [row[:5] for row in rows(one, DEVICES)] == [
        ["lamp", "–", "offline", "–", "–"], ["owenli · Owenli", "attic", "online", "–", "180F-2A19: 87 %"]], "both devices")
    # What is published shows at once: another value, a strength and with it the room, and who holds it.
    fleet.device("attic", "owenli", "value", "value/180F-2A19", value={"hex": "56", "utf8": "V"}, meaning="86 %", quantity={"value": 86, "unit": "%"})
    fleet.device("attic", "owenli", "rssi", "rssi", rssi=-61, smoothed=-61.0)
    fleet.publish("ble/fleet/lease/owenli", {
        "format": "ble-gateway/1", "device": "owenli", "gateway": "hall", "instance": "5f2c", "epoch": 7, "revision": 1, "phase": "opening",
        "expires": 3.0, "strength": -61.5, "successor": None, "subscriptions": [], "last": None}, retain=True)
    one.until(lambda: rows(one, DEVICES)[1][1:6] == ["hall · opening", "online", "Under the roof", "180F-2A19: 86 %", "attic -61 dBm"], "the device as it is now")
    one.until(lambda: rows(one, DEVICES)[1][6].endswith("s ago") and rows(one, GATEWAYS)[0][5].endswith("s ago"), "when they were heard")
    one.browser.picture("explorer-fleet")
    # A gateway that is gone takes its devices with it.
    fleet.publish("ble/attic/status", "offline", retain=True)
    one.until(lambda: rows(one, GATEWAYS)[0][1] == "offline" and rows(one, DEVICES)[1][2] == "offline", "the gateway has gone")
    one.driver.refresh()
    one.until(lambda: [row[0] for row in rows(one, GATEWAYS)] == ["attic", "hall"], "a reload loses nothing")
    # By keys alone.
    one.named("input", "Filter").send_keys("hall", Keys.TAB)
    one.until(lambda: [row[0] for row in rows(one, GATEWAYS)] == ["hall"] and [row[0] for row in rows(one, DEVICES)] == ["owenli · Owenli"], "what the filter leaves")
    assert one.browser.run("return document.activeElement.getAttribute('aria-label')") == "Gateways"


def test_the_broker_is_away_and_comes_back(fleet, page):
    """I17.5"""
    one = page()
    one.go("Fleet")
    one.until(lambda: one.text("main [role=status]").endswith(": connected"), "the broker")
    fleet.stop()
    one.until(lambda: ": not connected (" in one.text("main [role=status]"), "it is away, with the reason")
    fleet.start()
    one.until(lambda: one.text("main [role=status]").endswith(": connected"), "it is back", 60)
    fleet.gateway("cellar")
    one.until(lambda: "cellar" in [row[0] for row in rows(one, GATEWAYS)], "it is followed again")


def test_hostile_messages_are_inert_and_counted_at_360_pixels_in_chinese(fleet, page):
    """I17.5"""
    one = page("dark", width=360, height=740)
    fleet.device("attic", "evil", "value", "value/x", name=HOSTILE, value={"hex": "00", "utf8": None}, meaning=HOSTILE * 50)
    fleet.publish("ble/attic/description", {"format": "ble-gateway/1", "gateway": "attic", "version": HOSTILE, "time": HOSTILE, "devices": []}, retain=True)
    for topic, payload in (("ble/hall/status", "maybe"), ("ble/hall/description", "{"), ("ble/fleet/lease/owenli", "[]"), ("ble/a b/status", "online")):
        fleet.publish(topic, payload, retain=True)
    one.browser.run("localStorage.setItem('language', JSON.stringify('zh'))")
    one.driver.refresh()
    one.go("网关群")
    one.until(lambda: len(rows(one, "[aria-label='设备'] tbody")) == 3, "all devices")
    one.until(lambda: "不属于网关的消息： 4" in one.text("main"), "what was ignored")
    text = one.text("main")
    assert "<img src=x onerror=window.ran=1>\\u{202E}" in text, text
    assert "在线" in text and "网关" in text and "Gateway" not in text
    assert one.browser.run("return document.images.length === 0 && window.ran === undefined")
    assert one.browser.run("return document.documentElement.scrollWidth <= innerWidth")
    one.browser.picture("explorer-fleet-narrow")


def test_programs_get_what_the_description_says(fleet, demo):
    """I17.5"""
    import schemathesis
    schema = schemathesis.openapi.from_url(f"{demo.address}api/v1/openapi.json")
    until(lambda: len(demo.ask("GET", "fleet")["devices"]) == 2, "the fleet")
    case = schema["/api/v1/fleet"]["GET"].Case()
    response = case.call(timeout=30)
    case.validate_response(response, checks=CHECKS)
    found = response.json()
    assert found["connected"] and found["broker"] == f"127.0.0.1:{fleet.port}" and found["ignored"] == 0
    assert [one["gateway"] for one in found["gateways"]] == ["attic", "hall"]
    assert found["devices"][1]["values"] == [
        {"name": "180F-2A19", "text": "87", "number": 87, "unit": "%", "gateway": "attic", "time": "2026-11-27T10:00:00.000Z"}]
    assert demo.ask("GET", "status")["fleet"] is True


def test_a_mistake_in_the_file_is_told_with_its_place(tmp_path):
    """I17.5"""
    file = tmp_path / "fleet.json"
    file.write_text('{"format": "ble-gateway/1", "broker": {"host": "127.0.0.1", "port": 0}}')
    done = subprocess.run([TOOL, "web", "--demo", "--port", "0", "--fleet", str(file)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 65 and f"{file}:1:" in done.stderr, done
