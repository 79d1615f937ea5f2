"""Macros and profiles composed by clicks, in the explorer of `ble web --demo`."""
import json

import pytest
from selenium.webdriver.common.keys import Keys

MACRO = "details.macros"
STATUS = f"{MACRO} [role=status]"


@pytest.fixture
def saved(tmp_path):
    """What a page saves under that name."""
    def read(one, label, name):
        one.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
        file = tmp_path / name
        file.unlink(missing_ok=True)
        one.click("button", label)
        one.until(lambda: file.exists() and json.loads(file.read_text(encoding="utf-8")), name)
        return json.loads(file.read_text(encoding="utf-8"))
    return read


def steps(one):
    return [line.strip() for line in one.browser.run(
        "return [...document.querySelectorAll('ol.macro > li')].map((line) => line.querySelector('span span').textContent)")]


def refused(one):
    """The messages of the console: only those of answers with a status that a test has provoked."""
    return [entry["message"] for entry in one.browser.messages() if "the server responded with a status of 4" not in entry["message"]]


def test_what_is_done_is_recorded_saved_loaded_and_played_until_it_fails(demo, page, saved, tmp_path):
    """I15.1"""
    one = page(width=360, height=1_600)
    one.connect("Lamp")
    one.click("summary", "Macro")
    one.click("button", "Record")
    one.type("Value Characteristic FF13", "2a")
    one.click("button", "Write Characteristic FF13")
    one.click("button", "Read Characteristic FF13")
    one.until(lambda: len(steps(one)) == 2, "both are recorded")
    one.click("button", "Record")
    one.type("Milliseconds", "50")
    one.named("input", "Milliseconds").send_keys(Keys.ENTER)
    one.until(lambda: steps(one) == ["Write FF13 2a (hex)", "Read FF13", "Wait 50 ms"], "and a wait that was added")
    assert one.browser.run("return document.documentElement.scrollWidth <= innerWidth")
    one.type("Expected value, step 2", "2A")
    found = saved(one, "Save the macro", "macro.json")
    assert found["format"] == "ble-macro/1" and found["steps"][2] == {"do": "wait", "ms": 50}, found
    assert found["steps"][1] == {"do": "read", "service": "FF10", "characteristic": "FF13", "instance": 0, "expect": "2A"}, found
    # Played by keys: it writes and reads again.
    one.named("button", "Play").send_keys(Keys.ENTER)
    one.until(lambda: one.text(STATUS) == "Played: 3", "it is played")
    one.browser.picture("explorer-macro-narrow")
    one.driver.refresh()
    one.until(lambda: len(steps(one)) == 3, "it is there after a reload")
    # The first step that fails is the last.
    found["steps"][0]["value"] = "2b"
    found["steps"].insert(0, {"do": "subscribe", "characteristic": "FF13"})
    file = tmp_path / "other.json"
    file.write_text(json.dumps({**found, "steps": found["steps"][1:]}))
    one.browser.run("document.querySelector('details.macros').open = true")
    one.named("input", "Load a macro").send_keys(str(file))
    one.until(lambda: steps(one)[0] == "Write FF13 2b (hex)", "it is loaded")
    one.click("button", "Play")
    one.until(lambda: one.text(STATUS) == "Stopped at step 2: expected 2A, read 2b", "it has stopped, and says where")
    assert one.one("ol.macro [aria-current=step]").get_attribute("class") == "bad"
    file.write_text(json.dumps(found))
    one.named("input", "Load a macro").send_keys(str(file))
    one.until(lambda: len(steps(one)) == 4, "another one")
    one.click("button", "Play")
    one.until(lambda: one.text(STATUS).startswith("Stopped at step 1: "), "the device has refused")
    one.click("button", "Remove step 1")
    one.until(lambda: len(steps(one)) == 3, "a step is removed")
    one.click("button", "Clear")
    one.until(lambda: not steps(one), "all are")
    assert refused(one) == []


def test_commands_are_recorded_and_a_long_wait_is_stopped(page, tmp_path):
    """I15.1"""
    one = page(height=1_600)
    one.connect("Lamp")
    one.until(lambda: "lamp" in one.text("[aria-label='Device file'] select"), "the files are there")
    one.choose("Device file", "lamp")
    one.click("button", "Open with this file")
    one.until(lambda: one.all("form.command") and one.text("main [role=status]") == "ready", "it is ready")
    one.click("summary", "Macro")
    one.click("button", "Record")
    one.type("dim brightness", "77")
    one.click("button", "Perform dim")
    one.until(lambda: steps(one) == ['Perform dim {"brightness":"77"}'], "a command is recorded")
    one.click("button", "Record")
    one.type("Milliseconds", "600000")
    one.click("button", "Add a wait")
    one.click("button", "Play")
    one.until(lambda: one.text(STATUS) == "step 2 / 2", "it waits")
    one.click("button", "Stop", MACRO)
    one.until(lambda: one.text(STATUS) == "Stopped after step 2", "it is stopped")
    one.click("button", "Clear")
    one.click("button", "Without a file")
    one.until(lambda: not one.all("form.command"), "without the file")
    assert refused(one) == []


@pytest.mark.parametrize("content, reason", [
    ("{", "JSON"), ("[]", "This is no macro"), ('{"format": "ble-macro/1", "steps": [{"do": "wait"}]}', 'step 1: "ms"'),
    ('{"format": "ble-macro/1", "steps": [{"do": "<img src=x onerror=window.ran=1>"}]}', 'step 1: "do"'),
    ('{"format": "ble-macro/1", "steps": [{"do": "read", "characteristic": "2A19", "__proto__": 1}]}', 'step 1: "__proto__"'),
    ('{"format": "ble-macro/1", "steps": [{"do": "wait", "ms": 600001}]}', 'step 1: "ms"'),
    ('{"format": "ble-macro/1", "steps": [' + ",".join(['{"do": "wait", "ms": 0}'] * 201) + "]}", "so many steps"),
    (" " * 262_145, "256 KiB"),
])
def test_what_is_no_macro_is_refused_with_its_place(page, tmp_path, content, reason):
    """I15.1"""
    one = page()
    one.open("Lamp")
    one.click("summary", "Macro")
    file = tmp_path / "bad.json"
    file.write_text(content)
    one.named("input", "Load a macro").send_keys(str(file))
    one.until(lambda: reason in one.text("#messages"), "its reason")
    assert not steps(one) and one.browser.run("return window.ran === undefined")


def test_the_steps_of_a_hostile_macro_are_text(page, tmp_path):
    """I15.1"""
    one = page(width=360, height=1_000)
    one.open("Lamp")
    one.click("summary", "Macro")
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps({"format": "ble-macro/1", "steps": [
        {"do": "write", "characteristic": "<img src=x onerror=window.ran=1>", "value": "\u202e" + "x" * 16_000},
        {"do": "command", "command": "\x1b[31m", "values": {"</script>": "1"}}]}))
    one.named("input", "Load a macro").send_keys(str(file))
    one.until(lambda: len(steps(one)) == 2, "its steps")
    assert "\\u{202E}" in steps(one)[0] and "\\u{1B}" in steps(one)[1], steps(one)
    assert one.browser.run("return document.images.length === 0 && window.ran === undefined && document.documentElement.scrollWidth <= innerWidth")
    one.click("button", "Clear")


def test_a_profile_is_composed_by_clicks_published_and_saved(demo, page, saved, tmp_path):
    """I15.1"""
    one = page(width=360, height=1_800)
    one.go("Be a device")
    one.choose("Profile", "")
    one.type("Name of the profile", "<b>Mine</b>\u202e")
    one.click("button", "Set the name")
    one.type("UUID of the service", "180F")
    one.named("input", "UUID of the service").send_keys(Keys.ENTER)
    one.type("UUID of the characteristic", "2A19")
    one.click("input", "notify")
    one.type("Value of the characteristic", "64")
    one.choose("Kind of value", "uint8")
    one.type("Notified each (seconds)", "2")
    one.click("button", "Add a characteristic")
    one.until(lambda: "2A19" in one.text("section[aria-label=Compose] > ul"), "the outline")
    made = saved(one, "Save the profile", "profile.json")
    assert made == {"name": "<b>Mine</b>\u202e", "services": [{"uuid": "180F", "characteristics": [
        {"uuid": "2A19", "properties": ["read", "notify"], "value": {"uint8": 64}, "notify": {"every": 2, "values": [{"uint8": 64}]}}]}]}, made
    assert one.browser.run("return document.documentElement.scrollWidth <= innerWidth") and not one.all("section[aria-label=Compose] b")
    one.browser.picture("explorer-compose-narrow")
    one.click("button", "Publish")
    one.until(lambda: one.text("main [role=status]").endswith(": advertising"), "it advertises")
    assert [each["characteristic"] for each in demo.ask("GET", "serving")["characteristics"]] == ["2A19"]
    # What was made is text, and is edited as such. The server's reader says all that is wrong with it.
    area = one.named("textarea", "Text of a profile file")
    one.browser.run("arguments[0].value = arguments[0].value.replace('180F', '18').replace('notify', 'notfy'); arguments[0].dispatchEvent(new Event('input'))", area)
    one.click("button", "Publish")
    one.until(lambda: len(one.all("ul.bad li")) == 2 and "the profile:4:" in one.text("ul.bad"), "the mistakes with their places")
    assert "Did you mean 'notify'?" in one.text("ul.bad")
    one.click("button", "Remove 18")
    one.until(lambda: "2A19" not in one.text("section[aria-label=Compose] > ul"), "removed")
    one.type("Text of a profile file", "{", kind="textarea")
    one.click("button", "Add an L2CAP channel")
    one.until(lambda: "no JSON" in one.text("#messages"), "what is no JSON is not changed")
    assert area.get_attribute("value") == "{"
    file = tmp_path / "read.json"
    file.write_text(json.dumps(made))
    one.named("input", "Read a profile file").send_keys(str(file))
    one.until(lambda: "2A19" in one.text("section[aria-label=Compose] > ul"), "a file is read")
    one.click("button", "End")
    one.until(lambda: one.text("main [role=status]") == "Nothing is published.", "it has ended")
    assert refused(one) == []


def test_macros_and_composing_are_in_chinese(page):
    """I15.1"""
    one = page(width=360)
    one.choose("Language", "zh")
    one.until(lambda: "扫描" in one.text("#views"), "Chinese")
    one.click("#views a", "充当设备")
    one.until(lambda: one.named("select", "配置"), "the view")
    one.choose("配置", "")
    for name in ("添加服务", "添加特征", "添加 L2CAP 通道", "保存配置文件"):
        one.named("button", name)
    one.click("#views a", "扫描")
    one.open("Lamp")
    one.click("summary", "宏")
    for name in ("录制", "停止", "清空", "保存宏", "添加等待"):
        one.named("button", name)
    one.choose("语言", "en")
    one.until(lambda: "Scan" in one.text("#views"), "English again")
