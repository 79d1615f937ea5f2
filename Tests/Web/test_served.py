"""Channels, descriptors and clones between an explorer and devices of other processes, used by clicks and keys."""
import json
import re

import pytest
from selenium.webdriver.common.keys import Keys

from far import Far, opened

CHANNEL = "[aria-label='Channel 1']"


@pytest.fixture
def far(tmp_path_factory):
    one = Far(tmp_path_factory.mktemp("far"))
    yield one
    one.end()


def narrow(one):
    return one.browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_a_published_channel_shows_who_has_opened_it_and_sends(far, browser):
    """I15.1"""
    server, user = far.explorer("mine"), far.explorer("user")
    one = opened(browser, server, width=360, height=1_200)
    one.go("Be a device")
    one.choose("Profile", "")
    one.type("Name of the profile", "Mine")
    one.click("button", "Set the name")
    one.click("button", "Add an L2CAP channel")
    one.click("button", "Publish")
    one.until(lambda: re.fullmatch(r"PSM \d+", one.text("section.channels > [role=status]")), "its PSM")
    other = opened(browser, user, height=1_400)
    other.connect("Mine")
    other.click("summary", "L2CAP channels")
    other.click("button", "Open a channel")
    one.until(lambda: "from" in one.text(f"{CHANNEL} [role=status]") and one.text(f"{CHANNEL} [role=status]").endswith("open"), "who has opened it")
    other.type("Value Channel 1", "<b>hi</b>\u202e")
    other.choose("Format Channel 1", "utf8")
    other.click("button", "Send Channel 1")
    one.until(lambda: "<b>hi</b>\\u{202E}" in one.text(f"{CHANNEL} ol"), "what came is inert text")
    # By keys alone.
    one.type("Value Channel 1", "c0 ff ee")
    one.named("input", "Value Channel 1").send_keys(Keys.ENTER)
    other.until(lambda: "c0 ff ee" in other.text(f"{CHANNEL} ol"), "what was sent has arrived")
    assert narrow(one) and not one.all(f"{CHANNEL} b")
    one.browser.picture("explorer-served-channel-narrow")
    one.driver.refresh()
    one.until(lambda: "received 12 octets" in one.text(f"{CHANNEL} .number"), "a reload loses nothing")
    one.click("button", "End")
    other.until(lambda: "ended" in other.text(f"{CHANNEL} [role=status]"), "it ends on the other side")
    assert one.browser.messages() == [] and other.browser.messages() == []


def test_a_descriptor_is_written_over_the_radio(far, browser, tmp_path):
    """I15.1"""
    file = tmp_path / "device.json"
    file.write_text(json.dumps({"format": "ble-device/1", "name": "Described", "recording": {
        "advertisements": [{"data": "020106" + "0a09" + b"Described".hex(), "connectable": True}],
        "attributes": [
            {"handle": 1, "service": "FFF0", "end": 5}, {"handle": 2, "characteristic": "FFF1", "value_handle": 3, "properties": ["read", "extended"]},
            {"handle": 3, "type": "FFF1", "value": "01"}, {"handle": 4, "type": "2900", "value": "0200"},
            {"handle": 5, "type": "2901", "value": b"old".hex(), "follows": ["written"]}]}}))
    far.serve(file)
    one = opened(browser, far.explorer("user"), height=1_200)
    one.connect("Described")
    value = "[aria-label^='Characteristic FFF1']"
    one.click("button", "Descriptors Characteristic FFF1")
    one.until(lambda: "writable description" in one.text(value) and "old" in one.text(value), "both descriptors")
    one.type("Value Characteristic User Description 2901", "new <i>")
    one.choose("Format Characteristic User Description 2901", "utf8")
    one.click("button", "Write Characteristic User Description 2901")
    one.until(lambda: "new <i>" in one.text(f"{value} ul"), "what was written is read again")
    one.click("button", "Read Characteristic User Description 2901")
    one.until(lambda: "new <i>" in one.text(f"{value} ul"), "once more")
    assert one.browser.messages() == []


def test_a_connected_device_becomes_a_clone_that_is_published(far, browser, tmp_path):
    """I15.1"""
    file = tmp_path / "profile.json"
    file.write_text(json.dumps({"name": "<u>Origin</u>", "services": [{"uuid": "FFF0", "characteristics": [
        {"uuid": "FFF1", "properties": ["read", "write"], "value": {"hex": "2a"}}]}]}))
    server = far.serve(file)
    one = opened(browser, far.explorer("user"), width=360, height=1_200)
    one.connect("<u>Origin</u>")
    one.click("summary", "Make a clone of this device")
    one.until(lambda: one.named("input", "Name of the clone's file").get_attribute("value") == "u-Origin-u-clone", "a name for its file")
    one.type("Name of the clone's file", "copy")
    one.named("input", "Name of the clone's file").send_keys(Keys.ENTER)
    one.until(lambda: "1 characteristics, 1 values" in one.text(".clone .outcome"), "it is made")
    assert narrow(one) and not one.all(".clone u")
    one.browser.picture("explorer-live-clone-narrow")
    server.kill()
    one.click(".clone a", "It is published.")
    one.until(lambda: one.text("main [role=status]") == "<u>Origin</u>: advertising", "it is published")
    other = opened(browser, far.explorer("third"), height=1_200)
    other.connect("<u>Origin</u>")
    other.click("button", "Read Characteristic FFF1")
    other.until(lambda: "uint8 42" in other.text("[aria-label='Characteristic FFF1'] .value"), "it has the value")
    one.until(lambda: "FFF1" in one.text("ol.history"), "who reads is shown")
    assert one.browser.messages() == [] and other.browser.messages() == []
