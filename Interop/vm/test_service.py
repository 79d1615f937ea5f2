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


# A device that the recorder does not keep: bluetoothd hands each value to both programs once for each of them.
GATEWAY = {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1", "user": "attic", "password_credential": "password"},
           "devices": [{"name": "bicycle", "match": {"names": [LATER]}}]}


class Broker:
    """Debian's mosquitto in the guest, with a subscriber for which it keeps what it cannot deliver."""

    def __init__(self, machine):
        self.guest = machine.guest
        self.guest.run("mkdir -p /run/broker; cd /run/broker; mosquitto_passwd -b -c passwords attic 'the secret'; printf '%s\\n' 'listener 1883 127.0.0.1' "
                       "'allow_anonymous false' 'password_file /run/broker/passwords' 'persistence true' 'persistence_location /run/broker/' "
                       "'max_queued_messages 0' 'user root' >broker.conf")
        self.start()
        self.subscriber = self.guest.start(
            "exec mosquitto_sub -u attic -P 'the secret' -i test -c -q 1 -t 'ble/attic/device/+/value/#' -F %p >/run/broker/heard 2>&1")

    def start(self):
        self.process = self.guest.start("exec /usr/sbin/mosquitto -v -c /run/broker/broker.conf 2>&1")
        self.process.wait_for(" running")

    def stop(self):
        """Ends it as systemd would: it writes what it keeps for subscribers."""
        self.process.interrupt(signal="TERM")

    def heard(self):
        """The values by their keys, in the order of their first arrival."""
        said = self.guest.run("python3 /lab/messages.py heard /run/broker/heard", 120)[1]
        values = {}
        for key, text in json.loads(said):
            assert values.setdefault(key, text) == text, f"{key} is two messages"
        return values


@pytest.fixture(scope="module")
def broker(machine):
    broker = Broker(machine)
    yield broker
    broker.subscriber.kill()
    broker.process.kill()


@pytest.fixture(scope="module")
def gateway(machine, devices, broker):
    """A gateway that keeps a device, started as its page says; the broker wants a password."""
    service = Service(machine, "ble-gateway@attic")
    service.run("mkdir -p -m 700 /etc/credstore; (umask 077; echo 'the secret' >/etc/credstore/ble-gateway-attic.password)")
    service.write("/etc/ble/gateway-attic.json", json.dumps(GATEWAY))
    service.control("start")
    return service


def test_i17_4_the_gateway_runs_with_no_more_than_its_rights_and_has_its_password_of_systemd(machine, gateway, broker):
    wait_until(broker.heard, lambda: f"values arrive: {gateway.said()[-3000:]}", 120)
    shown = gateway.shown("ActiveState", "Type", "User", "StateDirectory", "StatusText")
    assert shown["ActiveState"] == "active" and shown["StatusText"] == "Publishing", shown
    status = gateway.process_status()
    assert status["CapEff"] == status["CapBnd"] == "0000000000001000", status
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", status
    assert int(status["Uid"].split()[0]) > 0, status
    owner = machine.guest.run("stat -c '%U %a' /var/lib/private/ble-gateway/attic.outbox")[1].strip()
    assert owner == "ble-gateway 600"
    said = machine.guest.run("systemd-analyze security --no-pager --threshold=25 ble-gateway@attic.service")
    assert said[0] == 0, said
    # Neither its journal nor a topic has the password.
    assert "the secret" not in gateway.said() and gateway.run("grep -c 'the secret' /run/broker/heard || true").strip() == "0"


def test_i17_1_a_reload_of_the_gateway_takes_over_a_changed_file_and_the_kept_device_keeps_its_link(gateway, broker):
    def numbers():
        return [int(text.split()[1]) for text in broker.heard().values()]

    def values_arrive():
        known = len(broker.heard())
        wait_until(lambda: len(broker.heard()) > known + 20, lambda: f"values arrive: {gateway.said()[-3000:]}", 120)

    def reload(text):
        gateway.write("/etc/ble/gateway-attic.json", text)
        gateway.control("reload")

    def refused():
        return [entry["MESSAGE"] for entry in gateway.entries("BLE_EVENT=not-reloaded")]

    def described():
        said = gateway.run("mosquitto_sub -u attic -P 'the secret' -t ble/attic/description -C 1 -W 30")
        return [device["device"] for device in json.loads(said)["devices"]], json.loads(said)["listening"]

    values_arrive()
    before, first = gateway.pid, len(numbers())
    told = [entry.get("BLE_EVENT") for entry in gateway.entries(f"_PID={before}")]
    begun, ready = len(told), told.count("ready")
    assert ready > 0, gateway.said()[-3000:]
    changed = {**GATEWAY, "devices": [*GATEWAY["devices"], {"name": "nowhere", "match": {"names": ["Nowhere"]}}],
               "listen": [{"match": {"names": [NAMES[0]]}}]}
    reload(json.dumps(changed))
    gateway.wait_for("Reloaded: added nowhere; other advertisements.")
    wait_until(lambda: described() == (["bicycle", "nowhere"], True), "the broker is told what the gateway keeps")
    values_arrive()
    # A word that nothing knows, and a change that takes a restart: both are told, and nothing is different.
    for file, reason in [({**changed, "devices": [{"name": "bicycle", "match": {"nmaes": [LATER]}}]}, "nmaes"),
                         ({**changed, "gateway": "cellar"}, '"gateway" has changed: that takes a restart.')]:
        count = len(refused())
        reload(json.dumps(file))
        wait_until(lambda: len(refused()) > count, lambda: f"the mistake is told: {gateway.said()[-3000:]}")
        assert reason in refused()[-1], refused()
        assert "not reloaded" in gateway.shown("StatusText")["StatusText"]
        assert described() == (["bicycle", "nowhere"], True)
        values_arrive()
    reload(json.dumps(GATEWAY))
    gateway.wait_for("Reloaded: removed nowhere; other advertisements.")
    values_arrive()
    assert gateway.shown("StatusText")["StatusText"] == "Publishing" and gateway.pid == before
    # Over all of it no link was lost or made.
    told = [entry.get("BLE_EVENT") for entry in gateway.entries(f"_PID={before}")]
    assert told.count("ready") == ready and "disconnected" not in told[begun:], gateway.said()[-3000:]
    heard = numbers()
    assert heard == sorted(set(heard)) and len(heard) > first


def test_i17_2_a_gateway_that_is_killed_comes_back_and_what_waited_for_the_broker_arrives_in_order(gateway, broker):
    file = "/var/lib/private/ble-gateway/attic.outbox"

    def waiting():
        return dict(json.loads(gateway.run(f"python3 /lab/messages.py outbox {file}", 120)))

    # Each takes more than a minute on an emulated processor.
    for number in range(max(1, KILLS // 3)):
        known = len(broker.heard())
        wait_until(lambda: len(broker.heard()) > known, lambda: f"values arrive: {gateway.said()[-3000:]}", 120)
        broker.stop()
        wait_until(lambda: len(waiting()) > 20, lambda: f"values wait: {gateway.said()[-3000:]}", 120)
        before, promised = gateway.pid, waiting()
        gateway.kill("KILL")
        broker.start()
        wait_until(lambda: gateway.pid not in (0, before), "systemd has started it again", 90)
        wait_until(lambda: promised.keys() <= broker.heard().keys(), lambda: f"what waited arrives: {gateway.said()[-3000:]}", 120)
        heard = broker.heard()
        assert all(heard[key] == text for key, text in promised.items())
        print(f"kill {number + 1}: {len(promised)} waited, all arrived; {len(heard)} so far", flush=True)
    # The device counts: what it has said later comes later, and nothing of it is there under two keys.
    numbers = [int(text.split()[1]) for text in broker.heard().values()]
    assert numbers == sorted(set(numbers))


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
