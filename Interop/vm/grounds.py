"""The table at the end: which check passed on which ground, of which suite of Debian's."""

import re

import pytest

GROUNDS = ["radio", "hci", "bluez"]
# Where a test does not say it by a marker.
MODULES = {"test_user_channel": "hci", "test_bluez": "bluez", "test_bluez_peripheral": "bluez",
           "test_bluez_pairing": "bluez", "test_bluez_channel": "bluez"}


class Grounds:
    def __init__(self):
        self.rows = {}
        self.columns = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if "lab" not in getattr(item, "fixturenames", ()) or (report.when != "call" and report.passed):
            return report
        marker = item.get_closest_marker("ground")
        parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        ground = marker.args[0] if marker else MODULES.get(item.module.__name__, "radio")
        column = (str(parameters.get("lab", "")), ground)
        self.columns.add(column)
        row = re.sub(r"\[.*", "", item.name).removeprefix("test_").replace("_", " ")
        results = self.rows.setdefault(row, {}).setdefault(column, {})
        # The worst that one of its parts has said: a test that has failed and then ended badly counts once.
        order = ["passed", "skipped", "failed"]
        results[item.nodeid] = max(results.get(item.nodeid, "passed"), report.outcome, key=order.index)
        return report

    def pytest_terminal_summary(self, terminalreporter):
        if not self.rows:
            return
        columns = sorted(self.columns, key=lambda column: (column[0], GROUNDS.index(column[1])))
        width = max(map(len, self.rows))
        terminalreporter.section("checks by ground (passed of those that ran)")
        for line in (0, 1):
            terminalreporter.write_line(" " * width + "".join(f"  {column[line]:>10}" for column in columns))
        for row, found in sorted(self.rows.items()):
            cells = []
            for column in columns:
                results = list(found.get(column, {}).values())
                tried = len(results) - results.count("skipped")
                cells.append(f"{results.count('passed')}/{tried}" if tried else "skipped" if results else "-")
            terminalreporter.write_line(f"{row:{width}}" + "".join(f"  {cell:>10}" for cell in cells))
