"""The table at the end: which requirement, and which other check, passed on which ground, of which suite of Debian's."""

import json
import os
import pathlib
import re

import pytest

GROUNDS = ["radio", "hci", "bluez"]
# Where a test does not say it by a marker.
MODULES = {"test_user_channel": "hci", "test_bluez": "bluez", "test_bluez_peripheral": "bluez", "test_bluez_channel": "bluez"}
# Tests that run on another air than that of the embedded radio as well: what the lines of the others get.
AIRS = {"test_rootcanal": " (rootcanal's air)"}
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
    """Gathers what tests report; also that of several runs."""

    def __init__(self):
        # By row and column: what each test said.
        self.rows = {}
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
        numbers = item.get_closest_marker("rows")
        air = AIRS.get(item.module.__name__, "")
        rows = list(numbers.args) if numbers and not air else []
        # Those that are nothing but rows have no line of their own.
        if "story" not in parameters:
            rows.append(re.sub(r"\[.*", "", item.name).removeprefix("test_").replace("_", " ") + air)
        for row in rows:
            results = self.rows.setdefault((row, *column), {})
            # The worst that one of its parts has said: a test that has failed and then ended badly counts once.
            order = ["passed", "skipped", "failed"]
            results[item.nodeid] = max(results.get(item.nodeid, "passed"), report.outcome, key=order.index)
            if limit := item.get_closest_marker("limit"):
                self.limits[row, *column] = limit.args
        return report

    def forget(self, item):
        """What a test has said so far is of an attempt that does not count."""
        for results in self.rows.values():
            results.pop(item.nodeid, None)

    def document(self):
        """All of it as JSON has it."""
        return {"rows": [[list(key), results] for key, results in self.rows.items()],
                "limits": [[list(key), list(limit)] for key, limit in self.limits.items()]}

    def add(self, document):
        self.rows.update((tuple(key), results) for key, results in document["rows"])
        self.limits.update((tuple(key), tuple(limit)) for key, limit in document["limits"])

    def cell(self, key, notes):
        """`notes` takes the limits in the order in which they are met."""
        results = list(self.rows.get(key, {}).values())
        tried = len(results) - results.count("skipped")
        text = f"{results.count('passed')}/{tried}" if tried else "skipped" if results else "-"
        limit = self.limits.get(key)
        if limit and limit not in notes:
            notes.append(limit)
        return f"{text} [{notes.index(limit) + 1}]" if limit else text

    def lines(self):
        """The table; none where nothing was tried."""
        said = requirements()
        rows = sorted({row for row, _, _ in self.rows}, key=place)
        columns = sorted({(suite, ground) for _, suite, ground in self.rows}, key=lambda column: (column[0], GROUNDS.index(column[1])))
        titles = {row: f"{row:5} {said[row]}" if row in said else row for row in rows}
        titles = {row: title if len(title) <= 60 else f"{title[:57]}..." for row, title in titles.items()}
        width = max(map(len, titles.values()), default=0)
        for line in (0, 1):
            yield " " * width + "".join(f"  {column[line]:>10}" for column in columns)
        notes = []
        for row in rows:
            yield f"{titles[row]:{width}}" + "".join(f"  {self.cell((row, *column), notes):>10}" for column in columns)
        for number, (section, words) in enumerate(notes, 1):
            line = (line_of(section, words) or words).strip("| ")
            line = line if len(line) <= 200 else f"{line[:197]}..."
            yield f"[{number}] Docs/bluez.md#{section.lower()}: {line}"

    def pytest_terminal_summary(self, terminalreporter):
        # Who runs several suites prints one table for all.
        if path := os.environ.get("BLE_VM_RESULTS"):
            pathlib.Path(path).write_text(json.dumps(self.document()))
        elif self.rows:
            terminalreporter.section("requirements and other checks by ground (passed of those that ran)")
            for line in self.lines():
                terminalreporter.write_line(line)
