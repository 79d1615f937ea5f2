"""A machine that sleeps with the page open, and wakes."""
import os
import pathlib
import signal
from urllib.parse import quote

from explorer import Explorer, Page

# More than the server keeps of events (8 MiB) and in its log (16 MiB), and than the kernel and the server keep for a browser that does not read.
MISSED = 24 << 20
FAULTS = "\n".join(f"read 2A{number:02X} nth {number + 1} error 0x0E" for number in range(60))


def family(process):
    """A process and all that it has started."""
    found, places = [process], {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        places.setdefault(int(fields[1]), []).append(int(status.parent.name))
    for one in found:
        found += places.get(one, [])
    return found


def test_a_page_that_slept_says_what_it_lacks_and_shows_what_is(browser):
    explorer = Explorer("--demo")
    try:
        one = Page(browser(), explorer.address)
        one.until(lambda: len(one.names()) == 10, "all ten")
        one.go("Log")
        one.browser.run("""
            return import("./live.js").then(({listen}) => { window.heard = []; listen((name) => { if (name === "all") window.heard.push(name); }); })""")
        names = [device["name"] for device in explorer.ask("GET", "radio")["devices"] if not device["explorer"]]
        for name in names:
            explorer.ask("PUT", f"radio/devices/{quote(name)}/faults", {"faults": FAULTS})
        one.until(lambda: one.browser.run("return import('./live.js').then(({state}) => state.log.at(-1).data.call ?? '')").endswith("/faults"), "the calls")
        before = one.browser.run("return import('./live.js').then(({state}) => state.log.at(-1).number)")
        # The browser stands still as it does in a machine that sleeps: it reads nothing, and its connections stay open.
        asleep = [process for process in family(one.driver.service.process.pid)[1:]]
        for process in asleep:
            os.kill(process, signal.SIGSTOP)
        try:
            size = len(str(explorer.ask("GET", "radio")))
            for _ in range(MISSED // size):
                explorer.ask("PUT", "radio", {"loss": 0.0})
            assert explorer.metric('ble_web_kept{of="streams"}') == 0, "the server does not keep events for a browser that reads none"
            for name in names:
                explorer.ask("PUT", f"radio/devices/{quote(name)}/faults", {"faults": ""})
            explorer.ask("PUT", "radio", {"loss": 0.25})
        finally:
            for process in asleep:
                os.kill(process, signal.SIGCONT)
        one.until(lambda: one.browser.run("return window.heard.length") > 0, "everything is read again", 60)
        one.until(lambda: one.browser.run("return import('./live.js').then(({state}) => state.radio.loss)") == 0.25, "the air as it is")
        one.until(lambda: "away" not in one.text("#status"), "the server is back")
        # What happened in between is more than the server keeps: the page has a line for what it lacks.
        assert explorer.ask("GET", f"log/{before}")["part"]
        kinds = one.browser.run("return import('./live.js').then(({state}) => state.log.map(({number, kind}) => [number, kind]))")
        # Behind what had waited for it in its connection.
        assert [number > before for number, kind in kinds if kind == "gap"] == [True]
        # It follows again, and is not asked to read everything again and again.
        times = one.browser.run("return window.heard.length")
        explorer.ask("PUT", "radio", {"loss": 0.5})
        one.until(lambda: one.browser.run("return import('./live.js').then(({state}) => state.radio.loss)") == 0.5, "it follows")
        assert one.browser.run("return window.heard.length") == times <= 3
        assert explorer.metric('ble_web_kept{of="streams"}') == 1
    finally:
        explorer.end()
