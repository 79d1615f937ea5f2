"""The explorer's log: the same in all browsers, kept by the server, with packets; and recordings played in it."""
import subprocess

import pytest

from explorer import TOOL, Explorer


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Ten seconds of the radio's time of a device that counts, recorded by `ble record`."""
    folder = tmp_path_factory.mktemp("recording")
    profile = folder / "counter.json"
    profile.write_text("""{"name": "<b>Counter</b>", "services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1",
      "properties": ["notify"], "notify": {"every": 1, "values": [{"utf8": "n{n}"}]}}]}]}""")
    environment = {"BLE_RADIO_SPEED": "10", "XDG_STATE_HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PATH": "/usr/bin"}
    server = subprocess.Popen(
        [TOOL, "serve", str(profile), "--adapter", "radio:log/server", "--json"], env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    try:
        for line in server.stdout:
            if '"advertising"' in line:
                break
        file = folder / "ride.sqlite"
        subprocess.run(
            [TOOL, "record", "<b>Counter</b>", str(file), "--adapter", "radio:log/recorder", "--duration", "10"], env=environment,
            check=True, timeout=60, capture_output=True)
    finally:
        server.kill()
        server.wait()
    return file


@pytest.fixture(scope="module")
def demo(recording):
    one = Explorer("--demo", "--recording", str(recording))
    yield one
    one.end()


def lines(one, kind=None):
    """The texts of the log's lines, newest first."""
    return [line for line in one.browser.run(
        "return [...document.querySelectorAll('.log summary')].map((line) => line.textContent)") if kind is None or kind in line]


def test_all_browsers_have_one_log_which_a_reload_does_not_lose(page, demo):
    one, other = page(), page()
    one.connect("Owenli")
    for each in (one, other):
        each.go("Log")
        each.choose("Kind", "call")
        each.until(lambda: any("connect → 200" in line for line in lines(each)), "the call of one of them")
    # Times and order are the server's.
    one.until(lambda: lines(one) == lines(other), "the same lines")
    before = lines(other)
    other.driver.refresh()
    other.until(lambda: other.text("h2") == "Log", "the log again")
    other.choose("Kind", "call")
    other.until(lambda: lines(other)[-len(before):] == before, "the same as before")
    # A program's call is there as well.
    demo.ask("PUT", "scan", {"on": False})
    demo.ask("PUT", "scan", {"on": True})
    for each in (one, other):
        each.until(lambda: any("PUT scan → 200" in line for line in lines(each)), "a program's call")


def test_an_entry_is_opened_down_to_its_packets(page, demo, tmp_path):
    one = page(height=1_200)
    one.connect("Battery")
    identifier = one.browser.run("return location.hash").split("/")[-1]
    demo.ask("POST", f"devices/{identifier}/read", {"characteristic": "2A19"})
    one.go("Log")
    one.choose("Kind", "call")
    one.type("Filter", "2A19")
    one.until(lambda: len(one.all(".log li")) == 1, "the call that read")
    one.click(".log summary", one.text(".log summary"))
    one.until(lambda: "ATT_READ_REQ" in one.text(".log .packets"), "the request")
    packets = one.text(".log .packets")
    assert "ATT_READ_RSP" in packets and packets.index("ATT_READ_REQ") < packets.index("ATT_READ_RSP")
    one.browser.picture("explorer-log-packets")
    one.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    one.click("a", "Save packets as btsnoop")
    file = tmp_path / "ble.btsnoop"
    one.until(lambda: file.exists() and file.stat().st_size > 1_000, "the file")
    shown = subprocess.run([TOOL, "capture", "show", str(file)], capture_output=True, text=True, check=True, timeout=60).stdout
    assert "ATT_READ_REQ" in shown


def test_a_recording_is_shown_and_played(page, recording):
    one = page(height=1_200)
    one.go("Log")
    one.until(lambda: one.named("select", "Shown"), "a choice")
    one.choose("Shown", "0")
    one.until(lambda: any("(6e3" in line for line in lines(one, "value")), "the values of the recording")
    # What a device calls itself is text.
    assert any("<b>Counter</b>" in line for line in lines(one)) and not one.all(".log b")
    whole = len(lines(one))
    one.choose("Kind", "value")
    one.until(lambda: 5 <= len(lines(one)) < whole, "the values alone")
    values = lines(one)
    one.choose("Speed", "10")
    one.click("button", "Play")
    one.until(lambda: len(lines(one)) < len(values), "it begins at the beginning")
    one.browser.picture("explorer-log-recording")
    one.until(lambda: lines(one) == values, "it is played to its end")
    one.until(lambda: one.named("button", "Play"), "it has ended")
    one.choose("Shown", "")
    one.until(lambda: lines(one) != values, "what happens now")


def test_a_file_that_is_no_recording_is_an_error_at_the_start(tmp_path):
    file = tmp_path / "no.sqlite"
    file.write_text("no database")
    for path in (file, tmp_path / "missing.sqlite"):
        done = subprocess.run([TOOL, "web", "--demo", "--port", "0", "--recording", str(path)], capture_output=True, text=True, timeout=60)
        assert done.returncode not in (0, 130) and path.name in done.stderr
