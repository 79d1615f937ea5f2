"""Channels, descriptors and throughput in the explorer of `ble web --demo`, used by clicks and keys."""
import re

from selenium.webdriver.common.keys import Keys

ECHO = "[aria-label^='Characteristic FFE1']"
CHANNEL = "[aria-label='Channel 1']"
CHANNELS = ".channels .characteristic"


def counted(one, word):
    """The octets that a channel says it has received or sent."""
    found = re.search(rf"{word} (\d+) octets", one.text(f"{CHANNEL} .number"))
    return int(found[1]) if found else None


def shown_channels(one, demo):
    """How many channels of the device are shown, once all are that the server knows: those of earlier tests among them."""
    identifier = one.browser.run("return location.hash").split("/")[-1]
    known = len(demo.ask("GET", f"devices/{identifier}/channels")["channels"])
    one.until(lambda: len(one.all(CHANNELS)) == known, "the channels that the server knows")
    return known


def test_a_channel_is_opened_echoes_and_ends_in_all_browsers(page):
    one = page(height=1_400)
    one.connect("Echo")
    other = page("dark", width=360)
    other.open("Echo")
    one.click("summary", "L2CAP channels")
    one.click("button", "Open a channel")
    one.until(lambda: one.text(f"{CHANNEL} [role=status]").endswith("open"), "the channel is open")
    one.type("Value Channel 1", "hello")
    one.choose("Format Channel 1", "utf8")
    one.click("button", "Send Channel 1")
    one.until(lambda: counted(one, "received") == 5 and counted(one, "sent") == 5, "what was sent has come back")
    one.until(lambda: one.text(f"{CHANNEL} ol").count("hello") == 2, "both are shown")
    one.until(lambda: "octets/s" in one.text(f"{CHANNEL} .number"), "a rate")
    other.until(lambda: counted(other, "received") == 5, "another browser sees the same")
    one.driver.refresh()
    one.until(lambda: counted(one, "received") == 5 and one.text(f"{CHANNEL} ol").count("hello") == 2, "after a reload, too")
    one.browser.picture("explorer-channel")
    one.click("button", "Stop reading Channel 1")
    one.until(lambda: one.all(f"{CHANNEL} button[aria-pressed=true]"), "it is not read from")
    one.type("Value Channel 1", "00")
    one.choose("Format Channel 1", "hex")
    one.click("button", "Send Channel 1")
    one.until(lambda: counted(one, "sent") == 6, "it is sent")
    assert counted(one, "received") == 5
    one.click("button", "Stop reading Channel 1")
    one.until(lambda: counted(one, "received") == 6, "it is read from")
    one.click("button", "Close Channel 1")
    one.until(lambda: "closed here" in one.text(f"{CHANNEL} [role=status]"), "the channel has ended")
    other.until(lambda: "closed here" in other.text(f"{CHANNEL} [role=status]"), "the other browser sees it")


def test_a_channel_ends_with_its_device_and_says_why(page, demo):
    one = page(height=1_400)
    one.connect("Echo")
    one.browser.run("document.querySelector('details.channels').open = true")
    one.until(lambda: one.named("button", "Open a channel").is_displayed(), "the form")
    before = shown_channels(one, demo)
    one.click("button", "Open a channel")
    one.until(lambda: len(one.all(CHANNELS)) > before, "a channel")
    one.until(lambda: one.text(".channels .characteristic [role=status]").endswith("open"), "it is open")
    one.click("button", "Disconnect")
    one.until(lambda: "the device was closed here" in one.text(".channels .characteristic [role=status]"), "its reason")


def test_throughput_is_measured_and_cancelled(page):
    one = page(height=1_400)
    one.connect("Echo")
    one.click(f"{ECHO} summary", "Throughput")
    one.type("Octets Characteristic FFE1", "20000")
    one.click("button", "Measure Characteristic FFE1")
    result = f"{ECHO} details [role=status]"
    one.until(lambda: re.search(r"^20000 octets · [\d.]+ s · [\d.]+ octets/s .*MTU \d+", one.text(result)), "a result")
    one.browser.picture("explorer-throughput")
    one.type("Octets Characteristic FFE1", "16000000")
    one.click("button", "Measure Characteristic FFE1")
    one.until(lambda: one.all(f"{ECHO} progress:not([hidden])"), "its progress")
    one.click("button", "Cancel Characteristic FFE1")
    one.until(lambda: "cancelled by a user" in one.text(result), "it was cancelled")


def test_the_throughput_of_a_channel_is_measured_both_ways(page, demo):
    """I15.1"""
    one = page(width=360, height=1_400)
    one.connect("Echo")
    before = shown_channels(one, demo)
    one.browser.run("document.querySelector('details.channels').open = true")
    one.until(lambda: one.named("button", "Open a channel").is_displayed(), "the form")
    one.click("button", "Open a channel")
    one.until(lambda: len(one.all(CHANNELS)) > before, "a channel")
    newest = one.one(CHANNELS).get_attribute("aria-label")
    channel = f"[aria-label='{newest}']"
    one.click(f"{channel} summary", "Throughput")
    one.type(f"Octets {newest}", "150000")
    # By keys alone.
    one.named("input", f"Octets {newest}").send_keys(Keys.ENTER)
    result = f"{channel} .measure [role=status]"
    one.until(lambda: re.match(r"sent 150000 octets · \d+ octets/s — received 150000 octets · \d+ octets/s — [\d.]+ s$", one.text(result)), "both rates", 60)
    one.until(lambda: not one.all(f"{channel} progress:not([hidden])"), "it has ended")
    assert one.browser.run("return document.documentElement.scrollWidth <= innerWidth")
    one.browser.picture("explorer-channel-throughput-narrow")
    one.type(f"Octets {newest}", "16000000")
    one.click("button", f"Measure {newest}")
    one.until(lambda: one.all(f"{channel} progress:not([hidden])"), "its progress")
    one.click("button", f"Cancel {newest}")
    one.until(lambda: "cancelled by a user" in one.text(result), "it was cancelled")
    one.click("button", f"Close {newest}")
    one.until(lambda: "closed here" in one.text(f"{channel} [role=status]"), "it is closed")


def test_descriptors_are_read_one_by_one_with_their_meaning(page):
    one = page(height=1_400)
    one.connect("Counter")
    value = "[aria-label^='Characteristic FF31']"
    one.click("button", "Descriptors Characteristic FF31")
    one.until(lambda: "Client Characteristic Configuration 2902: none" in one.text(value), "the descriptor in words")
    one.click("button", "Subscribe Characteristic FF31")
    one.until(lambda: re.search(r"\d+ · [\d.]+/s · [\d.]+ octets/s", one.text(f"{value} .bar .number")), "rates")
    one.click("button", "Read Client Characteristic Configuration 2902")
    one.until(lambda: "2902: notifications" in one.text(value), "its new value")
    one.until(lambda: 15 < float(re.search(r"· ([\d.]+)/s", one.text(f"{value} .bar .number"))[1]) < 25, "20 values a second")
    # A page that is opened later counts from then on: what came before does not make it fast.
    one.driver.refresh()
    one.until(lambda: re.search(r"[1-9]\d* · [1-9]", one.text(f"{value} .bar .number")), "rates again")
    assert float(re.search(r"· ([\d.]+)/s", one.text(f"{value} .bar .number"))[1]) < 30
    one.click("button", "Unsubscribe Characteristic FF31" if one.all("[aria-label='Unsubscribe Characteristic FF31']")
              else "Subscribe Characteristic FF31")
