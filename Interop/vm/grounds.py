"""The table at the end: which requirement, and which other check, passed on which ground, of which suite of Debian's."""

import pathlib
import re

import pytest

GROUNDS = ["radio", "hci", "bluez"]
# Where a test does not say it by a marker.
MODULES = {"test_user_channel": "hci", "test_bluez": "bluez", "test_bluez_peripheral": "bluez", "test_bluez_channel": "bluez"}
DOCUMENTS = pathlib.Path(__file__).resolve().parents[2] / "Docs"


def requirements():
    """The rows of Docs/requirements.md: what they say, by their numbers."""
    lines = (DOCUMENTS / "requirements.md").read_text().splitlines()
    return {match[1]: match[2] for line in lines if (match := re.match(r"\| (R\d+\.\d+) \| (.*?) \|", line))}


def line_of(section, words):
    """The line of Docs/bluez.md that says what BlueZ cannot do."""
    text = (DOCUMENTS / "bluez.md").read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return next((line for line in text.splitlines() if words in line), None)


def place(row):
    """Requirements first, by their numbers; then the rest, by name."""
    number = re.match(r"R(\d+)\.(\d+)", row)
    return (0, int(number[1]), int(number[2])) if number else (1, row)


class Grounds:
    def __init__(self):
        self.rows = {}
        self.columns = set()
        # What bluetoothd cannot do, of which row and column.
        self.limits = {}

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
        numbers = item.get_closest_marker("rows")
        rows = list(numbers.args) if numbers else []
        # Those that are nothing but rows have no line of their own.
        if "story" not in parameters:
            rows.append(re.sub(r"\[.*", "", item.name).removeprefix("test_").replace("_", " "))
        for row in rows:
            results = self.rows.setdefault(row, {}).setdefault(column, {})
            # The worst that one of its parts has said: a test that has failed and then ended badly counts once.
            order = ["passed", "skipped", "failed"]
            results[item.nodeid] = max(results.get(item.nodeid, "passed"), report.outcome, key=order.index)
            if limit := item.get_closest_marker("limit"):
                self.limits[row, column] = limit.args
        return report

    def cell(self, row, column, notes):
        """`notes` takes the limits in the order in which they are met."""
        results = list(self.rows[row].get(column, {}).values())
        tried = len(results) - results.count("skipped")
        text = f"{results.count('passed')}/{tried}" if tried else "skipped" if results else "-"
        limit = self.limits.get((row, column))
        if limit and limit not in notes:
            notes.append(limit)
        return f"{text} [{notes.index(limit) + 1}]" if limit else text

    def pytest_terminal_summary(self, terminalreporter):
        if not self.rows:
            return
        said = requirements()
        columns = sorted(self.columns, key=lambda column: (column[0], GROUNDS.index(column[1])))
        titles = {row: f"{row:5} {said[row]}" if row in said else row for row in self.rows}
        titles = {row: title if len(title) <= 60 else f"{title[:57]}..." for row, title in titles.items()}
        width = max(map(len, titles.values()))
        terminalreporter.section("requirements and other checks by ground (passed of those that ran)")
        for line in (0, 1):
            terminalreporter.write_line(" " * width + "".join(f"  {column[line]:>10}" for column in columns))
        notes = []
        for row in sorted(self.rows, key=place):
            cells = "".join(f"  {self.cell(row, column, notes):>10}" for column in columns)
            terminalreporter.write_line(f"{titles[row]:{width}}{cells}")
        for number, (section, words) in enumerate(notes, 1):
            line = (line_of(section, words) or words).strip("| ")
            line = line if len(line) <= 200 else f"{line[:197]}..."
            terminalreporter.write_line(f"[{number}] Docs/bluez.md#{section.lower()}: {line}")
