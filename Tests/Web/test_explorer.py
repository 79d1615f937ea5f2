"""The explorer of `ble web --demo`, walked through by clicks and keys."""
import csv
import json
import urllib.error

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from explorer import Explorer, Page

# Errors of the Attribute Protocol that a test provokes are answers with a status: the browser writes them to the console.
NAMES = {"Owenli", "Battery", "My dear", "温度计", "Heart rate", "Lamp", "Echo", "Counter", "Locker", "Beacon"}


def test_values_are_read_written_and_notified(page):
    one = page()
    one.connect("Heart rate")
    one.click("button", "Read Body Sensor Location")
    one.until(lambda: "uint8 1" in one.text("[aria-label^='Body Sensor Location'] .value"), "the value in several formats")
    one.click("button", "Subscribe Heart Rate Measurement")
    one.until(lambda: "beats a minute" in one.text("[aria-label^='Heart Rate Measurement']"), "a notified value")
    one.until(lambda: one.all("[aria-label^='Heart Rate Measurement'] svg.chart:not([hidden])"), "a chart")
    one.until(lambda: "/s" in one.text("[aria-label^='Heart Rate Measurement'] .bar .number"), "a rate")
    one.until(lambda: "dBm" in one.text("main"), "the strength of the link")
    one.browser.picture("explorer-device")
    one.driver.back()
    one.connect("Lamp")
    one.type("Value Characteristic FF13", "2a")
    one.click("button", "Write Characteristic FF13")
    one.click("button", "Read Characteristic FF13")
    one.until(lambda: "uint8 42" in one.text("[aria-label='Characteristic FF13'] .value"), "what was written is read")
    one.click("button", "Descriptors Characteristic FF13")
    one.until(lambda: "brightness" in one.text("[aria-label='Characteristic FF13']"), "the user's description")
    one.click("[aria-label='Characteristic FF13'] summary", "History")
    one.until(lambda: len(one.all("[aria-label='Characteristic FF13'] .history li")) >= 2, "the history")
    one.until(lambda: "2a" in one.browser.run("return [...document.querySelectorAll('datalist option')].map((one) => one.value)"), "what was written is offered")


def test_pairing_is_a_dialogue_and_all_pages_have_it(page, demo):
    one, other = page(), page()
    one.connect("Locker")
    one.click("button", "Read Characteristic FF21")
    for each in (one, other):
        each.until(lambda: each.all("dialog[open]"), "the question")
    one.browser.picture("explorer-pairing")
    # By keys alone: the field has the focus.
    field = other.until(lambda: other.named("input", "Passkey", "dialog"), "the field")
    field.send_keys("246810", Keys.ENTER)
    for each in (one, other):
        each.until(lambda: not each.all("dialog[open]"), "the answer")
    one.until(lambda: "secret" in one.text("[aria-label='Characteristic FF21']"), "the protected value")
    one.go("Bonds")
    one.until(lambda: "Locker" in one.text("main"), "the bond")
    one.click("button", "Remove keys Locker")
    one.until(lambda: "no device" in one.text("main"), "it is removed")


def test_the_explorer_is_a_device(page, demo):
    one = page()
    one.go("Be a device")
    one.choose("Profile", "battery")
    one.type("Advertised name", "Mine")
    one.click("button", "Publish")
    one.until(lambda: one.text("main [role=status]") == "Mine: advertising", "it advertises")
    one.type("Value Battery Level", "32")
    one.click("button", "Set and notify Battery Level")
    one.until(lambda: "32" in one.text(".characteristic .value"), "the value is set")
    one.browser.picture("explorer-serving")
    one.choose("Profile", "")
    one.type("Text of a profile file", '{"name": "x"', kind="textarea")
    one.click("button", "Publish")
    one.until(lambda: "expected" in one.text("#messages"), "a mistake in the file is told with its place")
    one.click("button", "End")
    one.until(lambda: one.text("main [role=status]") == "Nothing is published.", "it has ended")
    # The refused file is an answer with a status, which the browser writes to its console.
    assert all("400" in entry["message"] for entry in one.browser.messages())


def test_the_air_is_a_map_whose_time_can_be_stopped(page, demo):
    one = page(height=1_300)
    one.go("Radio")
    beacon = one.until(lambda: one.named("g", "Beacon", "svg"), "the beacon")
    ActionChains(one.driver).drag_and_drop_by_offset(beacon, -120, 60).perform()
    before = {"x": 12, "y": -8}
    one.until(lambda: (lambda now: now["x"] < before["x"] - 2 and now["y"] > before["y"] + 1)(
        next(device for device in demo.ask("GET", "radio")["devices"] if device["name"] == "Beacon")), "it was dragged")
    lamp = one.named("g", "Lamp", "svg")
    x = next(device for device in demo.ask("GET", "radio")["devices"] if device["name"] == "Lamp")["x"]
    one.browser.run("arguments[0].focus()", lamp)
    lamp.send_keys(Keys.ARROW_RIGHT)
    one.until(lambda: next(device for device in demo.ask("GET", "radio")["devices"] if device["name"] == "Lamp")["x"] == x + 1, "moved by a key")
    one.click("button", "Stop time")
    one.until(lambda: demo.ask("GET", "radio")["running"] is False, "time stands still")
    start = demo.ask("GET", "radio")["time_ms"]
    one.type("Milliseconds", "2500")
    one.click("button", "Step")
    one.until(lambda: demo.ask("GET", "radio")["time_ms"] >= start + 2_500, "a step")
    assert demo.ask("GET", "radio")["time_ms"] < start + 2_600
    one.click("button", "Run")
    one.click("button", "Switch off Owenli")
    one.until(lambda: one.named("button", "Switch on Owenli"), "it is off")
    one.browser.picture("explorer-radio")
    one.go("Scan")
    one.until(lambda: one.browser.run("return document.querySelector('li.stale .name')?.textContent") == "Owenli", "it is stale")
    one.go("Radio")
    one.click("button", "Switch on Owenli")
    one.until(lambda: one.named("button", "Switch off Owenli"), "it is on")


def test_a_device_on_the_air_has_faults(page, demo):
    one = page(height=1_400)
    one.go("Radio")
    one.click("summary", "Faults")
    one.choose("Device", "Battery")
    one.type("One fault on each line", "read 2A19 error 0x0E", kind="textarea")
    one.click("button", "Set faults")
    one.until(lambda: "Unlikely Error" in one.text(".faults li"), "its sentence")
    one.until(lambda: one.text(".faults [role=status]") == "Struck: 0", "how often it has struck")
    identifier = next(device["identifier"] for device in demo.ask("GET", "devices")["devices"] if device["name"] == "Battery")
    demo.ask("POST", f"devices/{identifier}/connect")
    one.until(lambda: demo.ask("GET", f"devices/{identifier}")["state"] == "ready", "a link")
    with pytest.raises(urllib.error.HTTPError) as refused:
        demo.ask("POST", f"devices/{identifier}/read", {"characteristic": "2A19"})
    assert refused.value.code == 424 and json.load(refused.value)["error"]["att_error"] == 14
    one.until(lambda: one.text(".faults [role=status]") == "Struck: 1", "it has struck")
    one.browser.picture("explorer-faults")
    # Mistakes are answered together, and change nothing.
    with pytest.raises(urllib.error.HTTPError) as mistaken:
        demo.ask("PUT", "radio/devices/Battery/faults", {"faults": "read 2A19 nth 0 error 0x0E\nread 2A19 drop\nnonsense"})
    text = json.load(mistaken.value)["error"]["message"]
    assert mistaken.value.code == 400 and "line 1" in text and "line 2" not in text and "line 3" in text, text
    assert len(one.all(".faults li")) == 1
    one.go("Log")
    one.choose("Kind", "fault")
    one.until(lambda: "Battery" in one.text(".log summary"), "the strike in the log")
    demo.ask("PUT", "radio/devices/Battery/faults", {"faults": ""})
    demo.ask("POST", f"devices/{identifier}/read", {"characteristic": "2A19"})
    demo.ask("POST", f"devices/{identifier}/disconnect")


def test_the_log_is_filtered_opened_and_saved(page, saved):
    one = page()
    one.connect("Echo")
    one.type("Value Characteristic FFE1", "68656c6c6f")
    one.click("button", "Write Characteristic FFE1")
    one.go("Log")
    one.choose("Kind", "call")
    one.until(lambda: one.all(".log li") and all("call" in line.text for line in one.all(".log .kind")), "calls alone")
    one.type("Filter", "68656c")
    one.until(lambda: len(one.all(".log li")) == 1, "filtered by text")
    one.click(".log summary", one.text(".log summary"))
    one.until(lambda: "characteristic" in one.text(".log pre"), "opened")
    one.browser.picture("explorer-log")
    rows = list(csv.DictReader(saved(one, "Save as CSV", "ble-log.csv").splitlines()))
    assert rows[0]["kind"] == "call" and json.loads(rows[0]["data"])["body"]["value"] == "68656c6c6f", rows
    assert json.loads(saved(one, "Save as JSON", "ble-log.json"))[0]["kind"] == "call"


def test_a_reload_and_a_second_browser_see_the_same(page):
    one, other = page(), page()
    one.connect("Battery")
    one.click("button", "Subscribe Battery Level")
    one.until(lambda: "%" in one.text("[aria-label^='Battery Level'] .value"), "a value")
    other.open("Battery")
    other.until(lambda: other.text("main [role=status]") == "ready", "the other page sees the link")
    other.until(lambda: "%" in other.text("[aria-label^='Battery Level'] .value"), "and the values")
    other.until(lambda: other.named("button", "Subscribe Battery Level").get_attribute("aria-pressed") == "true", "and the subscription")
    one.driver.refresh()
    one.until(lambda: "%" in one.text("[aria-label^='Battery Level'] .value"), "the values after a reload")
    other.click("button", "Disconnect")
    for each in (one, other):
        each.until(lambda: each.text("main [role=status]") == "idle", "both see the end")


def test_a_lost_link_counts_down_and_comes_back(page, demo):
    one = page()
    one.connect("Counter")
    demo.ask("PUT", "radio/devices/Counter", {"on": False})
    one.until(lambda: "s left" in one.text("main") and "lost" in one.text("main [role=status]"), "the countdown")
    demo.ask("PUT", "radio/devices/Counter", {"on": True})
    one.until(lambda: one.text("main [role=status]") == "ready", "it is back", 60)
    one.click("button", "Disconnect")


def test_the_keyboard_alone_is_enough(page):
    one = page()
    one.until(lambda: len(one.names()) >= 8, "devices")
    one.browser.run("document.querySelector('.table').focus()")
    active = one.driver.switch_to.active_element
    active.send_keys(Keys.ARROW_DOWN)
    first = one.until(lambda: one.browser.run("return document.activeElement.closest('li')?.querySelector('.name').textContent"), "a row")
    one.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    one.until(lambda: one.browser.run("return document.activeElement.closest('li')?.querySelector('.name').textContent") != first, "the next row")
    # Every stop of the Tab key can be seen, and the page is left at its end.
    one.browser.run("document.querySelector('.skip').focus()")
    seen = set()
    for _ in range(60):
        seen.add(one.browser.run("return document.activeElement.tagName + (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)"))
        one.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert len(seen) > 20, seen


def test_a_server_that_comes_back_is_read_again(browser):
    first = Explorer("--demo")
    one = Page(browser(), first.address)
    one.until(lambda: set(one.names()) == NAMES, "all ten are heard")
    first.end()
    one.until(lambda: "away" in one.text("#status"), "the page says that the server is away")
    one.browser.picture("explorer-away")
    second = Explorer("--demo", port=int(first.address.rstrip("/").rpartition(":")[2]))
    try:
        one.until(lambda: "away" not in one.text("#status") and set(one.names()) == NAMES, "it is read again", 60)
        one.open("Lamp")
        one.click("button", "Connect")
        one.until(lambda: one.text("main [role=status]") == "ready", "it is of use again")
    finally:
        second.end()
    # What could not be reached the browser writes to its console, but nothing else is there.
    assert all("ERR_" in entry["message"] for entry in one.browser.messages())
