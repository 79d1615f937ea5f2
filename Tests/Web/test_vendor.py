"""Vendors' devices in the explorer of `ble web --demo`: device files, clones, and the chat."""

import pytest

import captures
from explorer import Explorer, Page


@pytest.fixture(scope="module")
def demo():
    one = Explorer("--demo")
    yield one
    one.end()


@pytest.fixture
def page(demo, browser):
    def make(scheme="light", fragment="", **size):
        return Page(browser(scheme, **size), demo.address + fragment)
    return make


def refused(one):
    """The messages of the console: only those of answers with a status that a test has provoked."""
    return [entry["message"] for entry in one.browser.messages() if "the server responded with a status of 4" not in entry["message"]]


def field(one, name):
    """A field of the state, as it is shown."""
    return one.browser.run("""
        const cell = [...document.querySelectorAll("dl.state > div")].find((one) => one.querySelector("dt").textContent === arguments[0]);
        return cell?.querySelector("dd").textContent ?? ""
    """, name)


def with_file(one, name, file):
    """Connects the device of that name, and opens it with a device file."""
    one.connect(name)
    one.until(lambda: file in one.text("[aria-label='Device file'] select"), "the files are there")
    one.choose("Device file", file)
    one.click("button", "Open with this file")
    one.until(lambda: one.all("form.command"), "its commands are forms")
    one.until(lambda: one.text("main [role=status]") == "ready", "it is ready again")


def test_a_devices_commands_are_forms_and_its_state_is_fields(page):
    one = page(height=1_400)
    with_file(one, "Lamp", "lamp")
    one.choose("switch power", "on")
    one.click("button", "Perform switch")
    one.until(lambda: "Done." in one.text("form[aria-label=switch] output"), "it is switched")
    one.type("dim brightness", "300")
    one.click("button", "Perform dim")
    one.until(lambda: "1 to 255" in one.text("form[aria-label=dim] .bad"), "the mistake stands at its field")
    one.until(lambda: one.named("input", "dim brightness").get_attribute("aria-invalid") == "true", "and the field is marked")
    one.browser.picture("explorer-vendor-mistake")
    one.type("dim brightness", "77")
    one.click("button", "Perform dim")
    one.until(lambda: "Done." in one.text("form[aria-label=dim] output") and one.text("form[aria-label=dim] .bad") == "", "it is dimmed")
    one.click("button", "Perform brightness")
    one.until(lambda: field(one, "brightness") == "77 /255", "the state has it with its unit")
    one.click("button", "Perform power")
    one.until(lambda: field(one, "power") == "on", "and by its word")
    one.browser.picture("explorer-vendor")
    assert refused(one) == []


def test_state_fields_change_as_they_are_notified_in_all_browsers(page):
    one, other = page(), page("dark", width=360)
    with_file(one, "Owenli", "owenli")
    first = one.until(lambda: field(one, "count").isdigit() and field(one, "count"), "a count")
    one.until(lambda: int(field(one, "count")) > int(first), "the next count")
    other.open("Owenli")
    other.until(lambda: int(field(other, "count")) > int(first), "the other browser has it too")
    other.browser.picture("explorer-vendor-narrow")
    assert other.browser.run("return document.documentElement.scrollWidth <= innerWidth"), "it fits into 360 pixels"
    one.click("button", "Without a file")
    one.until(lambda: not one.all("form.command"), "the forms are gone")
    other.until(lambda: not other.all("form.command"), "in the other browser too")
    assert refused(one) == [] and refused(other) == []


def test_a_device_file_is_put_and_all_its_mistakes_are_shown(page, demo):
    one = page(height=1_400)
    one.open("Battery")
    one.click("summary", "Put a device file")
    one.type("Name of the file", "mine")
    one.type("Text of a device file", '{\n"format": "ble-device/9",\n"name": 5,\n"match": {}}', kind="textarea")
    one.click("button", "Put", "[aria-label='Device file'] details")
    one.until(lambda: len(one.all("[aria-label='Device file'] ul.bad li")) >= 2, "the mistakes")
    lines = [line.text for line in one.all("[aria-label='Device file'] ul.bad li")]
    assert lines[0].startswith("Line 2, column ") and lines[1].startswith("Line 3, column "), lines
    one.browser.picture("explorer-device-file-mistakes")
    text = demo.ask("GET", "device-files/itag")["text"].replace("iTAG", "Battery").replace("<", "")
    one.browser.run("arguments[0].value = arguments[1]", one.named("textarea", "Text of a device file"), text)
    one.click("button", "Put", "[aria-label='Device file'] details")
    one.until(lambda: "mine — Battery" in one.text("[aria-label='Device file'] select"), "it can be chosen")
    assert [file["file"] for file in demo.ask("GET", "device-files")["files"] if not file["built_in"]] == ["mine"]
    assert refused(one) == []


def test_a_vendors_device_is_served_and_its_state_is_set(page, demo):
    one = page(height=1_400)
    one.go("Be a device")
    one.until(lambda: "lock — Smart lock" in one.text("main select"), "the devices of files")
    one.choose("Profile", "device:lock")
    one.click("button", "Publish")
    one.until(lambda: one.text("main [role=status]").endswith(": advertising"), "it advertises")
    one.choose("Set bolt", "open")
    one.click("button", "Set bolt")
    one.until(lambda: next(field for field in demo.ask("GET", "serving")["device"]["state"] if field["name"] == "bolt")["word"] == "open", "it is set")
    one.type("Set charge", "300")
    one.click("button", "Set charge")
    one.until(lambda: "expected" in one.text("form.field .bad:not(:empty)"), "a mistake stands at its field")
    one.click("button", "Send bolt-moved")
    one.until(lambda: "bolt-moved" in one.text("ol.history"), "a notification was sent")
    one.browser.picture("explorer-vendor-served")
    one.click("button", "End")
    one.until(lambda: one.text("main [role=status]") == "Nothing is published.", "it has ended")
    assert refused(one) == []


def test_a_capture_becomes_a_clone_that_is_served(page, demo, tmp_path):
    one = page(height=1_400)
    capture = captures.conversation(60).write(tmp_path / "log.btsnoop")
    one.go("Be a device")
    one.click("summary", "Make a clone")
    one.named("input", "Capture").send_keys(str(capture))
    one.type("Name of the clone's file", "cloned")
    one.click("button", "Make a clone")
    one.until(lambda: "reproduced" in one.text(".outcome"), "how much it reproduces")
    one.until(lambda: one.named("select", "Profile").get_attribute("value") == "device:cloned", "it is chosen")
    one.browser.picture("explorer-clone")
    one.click("button", "Publish")
    one.until(lambda: "advertising" in one.text("main [role=status]") and "not" not in one.text("main [role=status]"), "it advertises")
    one.click("button", "End")
    (tmp_path / "bad.btsnoop").write_bytes(b"no capture")
    one.named("input", "Capture").send_keys(str(tmp_path / "bad.btsnoop"))
    one.click("button", "Make a clone")
    one.until(lambda: one.text(".outcome .bad"), "what is no capture is refused")
    assert refused(one) == []


def test_a_chat_shows_who_is_there_and_what_was_delivered(page, demo):
    one, other = page(), page("dark", width=360)
    one.go("Chat")
    one.type("Your name", "Ann")
    one.click("button", "Join")
    one.until(lambda: "My dear is there." in one.text("main [role=status]"), "the other side is there")
    one.type("Message", "hello <b>you</b>\u202e")
    one.click("button", "Send")
    one.until(lambda: "✓" in one.text("ol.chat li.own"), "it is delivered")
    one.until(lambda: "hello <b>you</b>" in one.text("ol.chat li.other"), "the answer")
    # What others say is text, and does not turn the direction of what stands around it.
    assert not one.all("ol.chat b") and "\\u{202E}" in one.text("ol.chat li.other")
    other.until(lambda: other.text("#views [data-view=chat]") == "Chat (1)", "the other browser counts it")
    other.until(lambda: other.driver.title.startswith("(1)") and "felt" in other.browser.run("return document.body.className"), "and shows it")
    one.browser.picture("explorer-chat")
    other.go("Chat")
    other.until(lambda: len(other.all("ol.chat li")) == 2, "it has both messages")
    assert other.browser.run("return document.documentElement.scrollWidth <= innerWidth"), "it fits into 360 pixels"
    other.browser.picture("explorer-chat-narrow")
    other.click("button", "Leave")
    one.until(lambda: one.text("main [role=status]") == "Not in the chat.", "all have left")
    assert refused(one) == [] and refused(other) == []
