"""An hour on the air: neither the page nor the server grows. BLE_WEB_BRIEF=1 makes it a quarter of an hour."""
import os

from explorer import Explorer, Page

HOUR_MS = 3_600_000 // (4 if os.environ.get("BLE_WEB_BRIEF") == "1" else 1)
# Octets by which the server may grow once what it keeps of events and of its log has reached its limits: packets fill theirs (8 MiB) more slowly.
# Ten devices advertise 600,000 times an hour: 14 octets that each of them left would be as much.
MARGIN = 8 << 20


class Measure:
    """What the page and the server have in memory, once all is collected that can be."""

    def __init__(self, page, explorer):
        driver = page.driver
        driver.execute_cdp_cmd("HeapProfiler.enable", {})
        # Twice: what the first one finalizes the second one frees.
        for _ in range(2):
            driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        figures = {one["name"]: one["value"] for one in driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
        self.heap, self.nodes, self.listeners = figures["JSHeapUsedSize"], figures["Nodes"], figures["JSEventListeners"]
        self.server = explorer.metric("process_resident_memory_bytes")
        self.kept = {of: explorer.metric(f'ble_web_kept{{of="{of}"}}') for of in ("events", "log", "streams")}
        self.minute = explorer.ask("GET", "radio")["time_ms"] / 60_000

    def __str__(self):
        return (f"minute {self.minute:.0f}: heap {self.heap / 1e6:.2f} MB, {self.nodes:.0f} nodes, {self.listeners:.0f} listeners, "
                f"server {self.server / 1e6:.1f} MB, {self.kept}")


def test_an_hour_on_the_air_leaves_memory_as_it_was(browser):
    explorer = Explorer("--demo")
    try:
        one = Page(browser(), explorer.address)
        explorer.ask("PUT", "radio", {"speed": 100})
        one.connect("Heart rate")
        one.click("button", "Subscribe Heart Rate Measurement")
        one.go("Scan")
        # 20 values a second fill the page's log, which then has its full length.
        one.connect("Counter")
        one.click("button", "Subscribe")
        # So it fills the server's log, and what the server keeps of its events.
        one.until(lambda: explorer.metric('ble_web_kept{of="log"}') >= 20_000, "the log is full", 300)
        assert one.browser.run("return import('./live.js').then(({state}) => state.log.length)") >= 5_000
        one.click("button", "Subscribe")
        one.until(lambda: one.text(".characteristic [aria-pressed]") == "Subscribe", "it is quiet")
        one.go("Scan")
        start = explorer.ask("GET", "radio")["time_ms"]
        measures = []
        for part in (0.25, 0.5, 0.75, 1):
            one.until(lambda: explorer.ask("GET", "radio")["time_ms"] >= start + part * HOUR_MS, f"{part} of an hour", 300)
            measures.append(Measure(one, explorer))
            print(measures[-1])
        first, last = measures[0], measures[-1]
        # The log's length varies by a tenth.
        assert last.heap < first.heap * 1.1 and last.nodes < first.nodes * 1.1 and last.listeners <= first.listeners * 1.1, (str(first), str(last))
        # By counts: what is kept is at its limits from the beginning, and stays there; the one stream has nothing waiting for long.
        assert all(one.kept == first.kept for one in measures), [one.kept for one in measures]
        assert first.kept == {"events": 4_096, "log": 20_000, "streams": 1}, first.kept
        assert last.server < first.server + MARGIN, (str(first), str(last))
        assert one.browser.messages() == []
    finally:
        explorer.ask("PUT", "radio", {"speed": 1})
        explorer.end()
