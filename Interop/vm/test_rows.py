"""The rows of Docs/requirements.md that can be seen of programs on an adapter, on each ground: the embedded radio, the user channel, BlueZ.

Programs on the ground that is tested meet devices outside; stories.py has what happens, a story is told once for each ground, and ROWS says
which lines of whom show which row. Every row is in ROWS, in ELSEWHERE or in NOT_HERE, so that a new one fails until it has its place.
"""

import re

import pytest

import stories
from grounds import GROUNDS, line_of, requirements
from stage import Stage

# Row, story, and what a program of the story has said, in that order: a list of texts for each of them.
ROWS = [
    ("R0.2", "explore", {"explorer": ["state 5", "found Owenli"]}),
    ("R0.2", "scan", {"listed": ["Owenli"], "filtered": ["Cell"]}),
    ("R0.3", "explore", {"explorer": ["found Owenli", "connected"]}),
    ("R0.4", "explore", {"explorer": ["connected", "service FFF0", "service FFE0"]}),
    ("R0.5", "scan", {"strength": ["dBm", "dBm"]}),
    ("R0.7", "win_back", {"first": ["lost "], "second": ["disconnected"]}),
    ("R0.8", "explore", {"explorer": ["service FFF0", "characteristic FFF0 FFF1", "characteristic FFF0 FFF2", "descriptor 2901 name"]}),
    ("R0.9", "win_back", {"first": ["battery 87 %"]}),
    ("R0.9", "be_verified", {"owner": ["battery 87 %"]}),
    ("R0.11", "explore", {"explorer": ["descriptor 2901 name"]}),
    ("R0.13", "explore", {"explorer": ["written FFF2", "value FFF2 explored"]}),
    ("R0.14", "explore", {"explorer": ["pushed", "pushed", "pushed", "disconnected"], "owenli": ["subscribed to", "unsubscribed from"]}),
    ("R0.15", "scan", {"recorder": ["Connected to"], "kept": ["send data : "]}),
    ("R1.1", "talk", {"near": ["back 😀"], "far": [stories.CHINESE]}),
    ("R1.2", "scan", {"listed": ["Owenli"]}),
    ("R1.3", "take_texts", {"peripheral": ["received short"], "central": ["read back short"]}),
    ("R1.5", "take_texts", {"peripheral": ["advertising"]}),
    ("R1.6", "write_texts", {"central": ["read back short", f"read back {stories.LONG_TEXT}", f"read back {'x' * 512}", "refused 13"]}),
    ("R1.7", "take_texts", {"central": ["read back short", f"read back {stories.LONG_TEXT}", "read back last"]}),
    ("R1.8", "take_texts", {"peripheral": ["received short", f"received {stories.LONG_TEXT}", "received last"]}),
    ("R1.9", "flow", {"near peripheral": []}),
    ("R1.9", "take_texts", {"central": ["echo of 5 octets"]}),
    ("R1.10", "write_texts", {"central": ["disconnected"]}),
    ("R1.12", "talk", {"near": ["json", "back 😀"], "far": [stories.CHINESE, "said while you were away"]}),
    ("R2.1", "win_back", {"first": ["lost "], "second": ["disconnected"]}),
    ("R2.2", "win_back", {"first": ["page of SMART_lamp", "status: SMART_lamp is back"]}),
    ("R2.3", "win_back", {"second": ["waiting for SMART_lamp"]}),
    ("R2.4", "win_back", {"second": ["status: SMART_lamp is back"]}),
    ("R2.5", "win_back", {"second": ["waiting for SMART_lamp", "status: SMART_lamp is back"]}),
    ("R2.6", "win_back", {"third": ["stopped trying: the device did not turn up in time"]}),
    ("R2.7", "win_back", {"third": ["connecting to SMART_lamp", "page of SMART_lamp"]}),
    ("R2.8", "win_back", {"third": ["listed SMART_lamp"]}),
    ("R2.9", "win_back", {"first": ["page of SMART_lamp"], "second": ["status: SMART_lamp is back"]}),
    ("R2.10", "win_back", {"first": ["lost ", "waiting for SMART_lamp"], "third": ["listed SMART_lamp", "the list is complete"]}),
    ("R2.11", "win_back", {"second": ["waiting for SMART_lamp", "status: SMART_lamp is back"]}),
    ("R2.12", "win_back", {"third": ["the list is complete"]}),
    ("R2.13", "switch_off", {"central": ["the device is gone", "status: SMART_lamp is back"]}),
    ("R2.14", "pair", {"forgotten": ["'Door'"], "again": ["closed"]}),
    ("R3.3", "scan", {"each": ["Owenli", "Owenli", "Owenli"]}),
    ("R3.5", "pair", {"read": ["closed"]}),
    ("R3.8", "flow", {"near central": []}),
    ("R3.11", "pipe", {"caller": ["octets 1"], "listener": ["octets 0"]}),
    ("R3.12", "be_explored", {"explorer": ["service FFF0", "service FFE0", "value FFF2 owenli", "value FFE1 read only", "pushed send data : "]}),
    ("R4.1", "verify", {"central": ["connecting to nimbus", "verified C0:FF:EE:00:00:01", "light at 40 %", "disconnected"]}),
    ("R4.2", "verify", {"central": ["verified C0:FF:EE:00:00:01"]}),
    ("R4.3", "verify", {"central": ["C0:FF:EE:00:00:02, another device"]}),
    ("R4.1", "be_verified", {"central": ["verified C0:FF:EE:00:00:01", "light at 40 %", "disconnected"]}),
    ("R4.4", "command", {"status": ["12"]}),
    ("R4.5", "verify", {"central": ["nothing yet: press a button", "connecting to nimbus"]}),
    ("R4.6", "command", {"unlocked": ["open"]}),
    ("R4.7", "verify", {"central": ["its answer to the greeting is wrong", "verified"]}),
    ("R4.8", "verify", {"central": ["light at 40 %", "light failed: refused(2)"]}),
    ("R4.8", "command", {"refused": ["wrong-pin"]}),
    ("R4.9", "verify", {"device": ["not heard", "light 40"], "central": ["battery 87 %", "light at 40 %"]}),
    ("R4.9", "be_verified", {"device": ["not heard", "light 40"]}),
    ("R4.10", "verify", {"codecs": []}),
    ("R4.11", "command", {"unlocked": ["open"]}),
    ("R4.13", "switch_off", {"vendor": ["Bluetooth", "verified"]}),
]
# Stories that need something that a ground does not have.
WITHOUT = {"switch_off": {"radio": "its adapter is switched by the test kit"}}
# What bluetoothd cannot do of a row: section and words of the line of Docs/bluez.md.
LIMITS = {
    "R0.5": ("Central", "| RSSI of a link |"),
    "R1.9": ("Peripheral", "| notifications, indications |"),
    "R2.3": ("Central", "one that a killed program leaves behind"),
    "R3.3": ("Central", "| duplicates |"),
    "R3.11": ("Central", "| L2CAP channels |"),
}
# Rows that other files of this folder show, by the marker `rows`.
ELSEWHERE = ["R0.1", "R3.13", "R4.12"]
# Rows that are not about an adapter, or that cannot be seen from outside of a program in real time: RequirementTests shows them.
NOT_HERE = {
    "R0.6": "one call of the session's interface, which no program here shows from outside",
    "R0.10": "the order of calls in a program",
    "R0.12": "the order of calls in a program",
    "R1.4": "a call that fails before anything reaches an adapter",
    "R1.11": "a bell on a terminal, whatever the message came by",
    "R3.1": "compares symbols",
    "R3.2": "a test for each delegate method, with scripted peers",
    "R3.4": "options of calls, counted in virtual time",
    "R3.6": "a database that changes under a connection, which no program here does",
    "R3.7": "objects within a program",
    "R3.9": "restoration needs a program that is started by its restore identifier",
    "R3.10": "a switch of the host's own, in virtual time",
}


class Told:
    """The stories of a run: each is told when it is wanted first."""

    def __init__(self, factory):
        self.factory = factory
        self.found = {}

    def __call__(self, lab, ground, story):
        """What its programs have said by name, or why it ended early."""
        key = (lab.suite, ground, story)
        if key not in self.found:
            stage = Stage(lab, ground, self.factory.mktemp(f"{story}-{ground}"))
            try:
                getattr(stories, story)(stage)
                failure = None
            except Exception as error:
                failure = error
            stage.close()
            self.found[key] = ({name: stage.text(name) for name, _ in stage.programs}, failure)
        return self.found[key]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return Told(tmp_path_factory)


def parameters():
    """By ground and story, so that each story is near the rows that it shows."""
    for ground in GROUNDS:
        for number, story, shown in sorted(ROWS, key=lambda row: row[1]):
            marks = [pytest.mark.ground(ground), pytest.mark.rows(number)]
            if ground == "radio":
                marks.append(pytest.mark.outside)
            if ground == "bluez" and number in LIMITS:
                marks.append(pytest.mark.limit(*LIMITS[number]))
            if reason := WITHOUT.get(story, {}).get(ground):
                marks.append(pytest.mark.skip(reason))
            yield pytest.param(ground, story, shown, id=f"{ground}-{number}-{story}", marks=marks)


@pytest.mark.parametrize("ground, story, shown", list(parameters()))
def test_i12_row(lab, told, ground, story, shown):
    said, failure = told(lab, ground, story)
    if failure:
        raise AssertionError(f"{story} on {ground}") from failure
    for name, texts in shown.items():
        pattern = ".*?".join(map(re.escape, texts))
        assert re.search(pattern, said[name], re.DOTALL), f"{name} has not said {texts}, but:\n{said[name][-3000:]}"


def test_i12_every_row_has_one_place():
    here = {number for number, _, _ in ROWS}
    places = [*here, *ELSEWHERE, *NOT_HERE]
    assert len(places) == len(set(places))
    assert set(places) == set(requirements())


def test_i12_limits_are_lines_of_the_document():
    for section, words in LIMITS.values():
        assert line_of(section, words)
