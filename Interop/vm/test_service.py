"""The Debian package of the tool under test, installed in a guest whose first process is systemd: the services as Docs/service.md has them, with
their rights; killed, hung, reloaded, upgraded and purged while devices outside are recorded.

BLE_VM_KILLS says how often the recorder is killed (at most 6: its pauses grow), BLE_VM_SEED repeats a run.
"""

import json
import os
import random
import time

import pytest

from conftest import Lab, SUITES
from package import make_package
from programs import wait_until
from service import DEBIAN, Service, install, span

KILLS = min(6, int(os.environ.get("BLE_VM_KILLS", "6")))
SEED = int(os.environ.get("BLE_VM_SEED", random.randrange(1 << 32)))
NAMES = ["Wrist", "Chest"]
LATER = "Bicycle"
FILE = "/var/lib/private/ble-record/ride.sqlite"


@pytest.fixture(scope="module", params=SUITES)
def machine(request, tmp_path_factory):
    """A guest with systemd, and the package on it."""
    folder = tmp_path_factory.mktemp(f"systemd-{request.param}")
    lab = Lab(request.param, folder, systemd=True)
    try:
        make_package(lab.tool, lab.share / "ble.deb")
        install(lab)
        yield lab
    finally:
        lab.stop()


@pytest.fixture(scope="module")
def devices(machine, tmp_path_factory):
    """Devices outside that number their notifications, twenty in a second each; the last is recorded later."""
    servers = []
    for name in [*NAMES, LATER]:
        profile = tmp_path_factory.mktemp(name) / "profile.json"
        profile.write_text(json.dumps({"name": name, "services": [{"uuid": "FFF0", "characteristics": [
            {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.05, "values": [{"utf8": name + " {n}"}]}}]}]}))
        servers.append(machine.outside("serve", profile, "--adapter", f"radio:vm/{name}", "--json"))
    for server in servers:
        server.event("advertising")
    return servers


@pytest.fixture(scope="module")
def services(machine, devices):
    """The three, started as their page says."""
    machine.guest.run("cp /usr/share/doc/ble/examples/profiles/echo.json /usr/share/doc/ble/examples/web.conf /etc/ble/; "
                      f"echo 'OPTIONS=\"{' '.join(NAMES)} --json\"' >/etc/ble/record-ride.conf")
    started = [Service(machine, name) for name in ("ble-web", "ble-record@ride", "ble-serve@echo")]
    for service in started:
        service.control("start")
    return started


@pytest.fixture
def recorder(services):
    return services[1]


def test_i15_3_the_doctor_finds_everything_on_a_machine_with_the_package(machine):
    status, said = machine.guest.run("ble doctor")
    assert status == 0 and "Everything needed is available." in said, said


def test_i15_3_the_services_run_with_no_more_than_their_rights(machine, services):
    for service in services:
        shown = service.shown("ActiveState", "Type", "User", "StateDirectory", "StatusText")
        assert shown["ActiveState"] == "active" and shown["Type"] == "notify", shown
        assert shown["StatusText"], "it has not told what it does"
        status = service.process_status()
        # CAP_NET_ADMIN alone.
        assert status["CapEff"] == status["CapBnd"] == "0000000000001000", status
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status
        assert all(int(number) > 0 for number in status["Uid"].split() + status["Gid"].split()), status
        owner = machine.guest.run(f"stat -c %U /var/lib/private/{shown['StateDirectory']}")[1].strip()
        assert owner == shown["User"] == shown["StateDirectory"]
    names = " ".join(f"{service.name}.service" for service in services)
    status, said = machine.guest.run(f"systemd-analyze security --no-pager --threshold=25 {names}")
    assert status == 0, said


def test_i15_3_the_services_do_what_they_are_for_on_the_machines_adapter(machine, services):
    status, said = machine.guest.run("wget -q -O - http://127.0.0.1:8080/api/v1/status")
    assert status == 0 and json.loads(said)["adapter"].startswith("bluez"), said
    services[1].wait_for_values(NAMES)
    services[2].wait_for("Advertising 'Echo'")
    visitor = machine.outside("explore", "Echo", "--adapter", "radio:vm/Visitor", "--json")
    assert visitor.finish() == 0, visitor.text
    assert "0D4E1E2F" in visitor.text


def test_i15_3_the_journal_has_events_with_the_device_as_a_field(recorder):
    recorder.wait_for_values(NAMES)
    [entry, *_] = recorder.entries("BLE_EVENT=connected", f"BLE_DEVICE={NAMES[0]}")
    assert entry["PRIORITY"] == "6" and entry["_TRANSPORT"] == "journal" and entry["SYSLOG_IDENTIFIER"] == "ble", entry
    assert entry["BLE_ORIGIN"] and json.loads(entry["MESSAGE"])["name"] == NAMES[0]


def test_i15_3_a_reload_changes_the_recorded_devices_and_the_others_keep_their_links(recorder):
    recorder.wait_for_values(NAMES)
    before, lines = recorder.pid, len(recorder.events())
    restore = f'OPTIONS="{" ".join(NAMES)} --json"'

    def events():
        return [(event["event"], event.get("name")) for event in recorder.events()[lines:]]

    recorder.write("/etc/ble/record-ride.conf", f'OPTIONS="{NAMES[0]} {LATER} --json"')
    recorder.control("reload")

    wait_until(lambda: ("connected", LATER) in events(), lambda: f"{LATER} is recorded: {events()}")
    assert ("removed", NAMES[1]) in events()
    assert ("disconnected", NAMES[0]) not in events()
    # A mistake is told, and changes nothing.
    recorder.write("/etc/ble/record-ride.conf", 'OPTIONS="--nonsense"')
    recorder.control("reload")
    [mistake] = wait_until(lambda: recorder.entries("BLE_EVENT=not-reloaded"), "the mistake is told")
    assert mistake["PRIORITY"] == "3" and "--nonsense" in mistake["MESSAGE"], mistake
    recorder.write("/etc/ble/record-ride.conf", restore)
    recorder.control("reload")
    wait_until(lambda: events().count(("connected", NAMES[1])) == 1, lambda: f"{NAMES[1]} is recorded again: {events()}")
    assert recorder.pid == before and ("disconnected", NAMES[0]) not in events()


def test_i15_3_a_reload_changes_what_is_served_and_links_stay(machine, services):
    server = services[2]
    profile = json.loads(server.run("cat /etc/ble/echo.json"))
    visitor = machine.outside("watch", "Echo", "--lines", "--adapter", "radio:vm/Watcher", "--json")
    visitor.event("ready")
    before = server.pid
    profile["services"].append({"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read"], "value": {"hex": "2A"}}]})
    server.write("/etc/ble/echo.json", json.dumps(profile))
    server.control("reload")
    server.wait_for("Advertising 'Echo'", count=2)
    reader = machine.outside("read", "Echo", "2A19", "--adapter", "radio:vm/Visitor", "--json")
    assert reader.finish() == 0, reader.text
    server.write("/etc/ble/echo.json", "{")
    server.control("reload")
    wait_until(lambda: server.entries("BLE_EVENT=not-reloaded"), "the mistake is told")
    assert server.pid == before and "not reloaded" in server.shown("StatusText")["StatusText"]
    assert not visitor.events("disconnected"), visitor.text
    visitor.stop()
    server.write("/etc/ble/echo.json", json.dumps(profile))
    server.control("reload")


def test_i15_3_a_recorder_that_is_killed_comes_back_with_its_links_and_has_lost_no_committed_row(machine, recorder):
    # Whatever a test before has left.
    recorder.write("/etc/ble/record-ride.conf", f'OPTIONS="{" ".join(NAMES)} --json"')
    recorder.control("restart")
    chance = random.Random(SEED)
    print(f"BLE_VM_SEED={SEED}: {KILLS} kills", flush=True)
    kept = {}
    pauses = []
    for number in range(KILLS):
        recorder.wait_for_values(NAMES)
        time.sleep(chance.uniform(0, 1.5))
        before = recorder.pid
        recorder.kill("KILL")
        session, promised = recorder.committed()
        rows = recorder.rows(FILE, session)
        assert len(rows) >= promised > 0, f"{promised} values were committed, {len(rows)} are there"
        kept[session] = rows
        pauses.append(span(recorder.shown("RestartUSecNext").get("RestartUSecNext", "0")))
        begun = time.monotonic()
        wait_until(lambda: recorder.pid not in (0, before), "systemd has started it again", 90)
        recorder.wait_for_values(NAMES)
        print(f"kill {number + 1}: {promised} committed, {len(rows)} there; values of all after {time.monotonic() - begun:.1f} s", flush=True)
    assert len(kept) == KILLS
    for session, rows in kept.items():
        assert recorder.rows(FILE, session) == rows
    assert recorder.shown("NRestarts")["NRestarts"] == str(KILLS)
    # bookworm's systemd has a constant pause.
    assert pauses == sorted(pauses), pauses


def test_i15_3_a_recorder_that_hangs_is_ended_by_the_watchdog_and_started_again(machine, recorder):
    recorder.drop_in("WatchdogSec=8\nRestartSec=1\nRestartSteps=0\n")
    recorder.control("restart")
    recorder.wait_for_values(NAMES)
    before = recorder.pid
    assert machine.guest.run(f"kill -STOP {before}")[0] == 0
    wait_until(lambda: recorder.pid not in (0, before), "systemd has started it again", 90)
    assert "Watchdog timeout" in recorder.said()
    recorder.wait_for_values(NAMES)
    # While it works it gives signs of life.
    after = recorder.pid
    time.sleep(9)
    assert recorder.pid == after
    recorder.drop_in(None)


def test_i15_3_an_upgrade_restarts_what_runs_and_purging_leaves_nothing(machine, services):
    before = [service.pid for service in services]
    install(machine)
    after = [service.pid for service in services]
    assert all(after) and not set(after) & set(before), f"{before} before, {after} after: {machine.guest.run('journalctl -n 30 --no-pager')[1]}"
    services[1].wait_for_values(NAMES)
    status, said = machine.guest.run(f"{DEBIAN} /usr/bin/dpkg --purge ble 2>&1", 120)
    assert status == 0, said
    assert machine.guest.run("systemctl list-units --plain --no-legend --no-pager 'ble-*.service'")[1].strip() == ""
    left = machine.guest.run("pidof ble; ls -d /etc/ble /usr/bin/ble /var/lib/ble-* /var/lib/private/ble-* /usr/lib/systemd/system/ble-* 2>/dev/null")[1]
    assert left.strip() == "", left
