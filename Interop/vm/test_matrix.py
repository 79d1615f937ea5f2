"""BlueZ as the foreign stack: our host on the embedded radio, bluetoothd on Debian's kernel; either is the central."""

import subprocess

import pytest

from programs import wait_until
from steps import ECHO, FIXED, LONG, THEIR_ECHO, THEIR_FIXED, TYPED, counting, octets, ours, serve, type_numbers

COUNT = 1_000


@pytest.mark.rows("R1.7", "R1.8", "R1.9", "R3.13")
def test_bluetoothd_uses_our_peripheral(cell):
    server = cell.serve(ours(ECHO, FIXED, counting("FFF1", "notify", 0.05), counting("FFF4", "indicate", 0.05)))

    def call(verb, **arguments):
        return cell.daemon.call(verb, device=cell.name, **arguments)

    assert cell.daemon.connect(cell.name)["fff0"] == ["fff1", "fff2", "fff4", "fff5"]
    assert call("read", characteristic="fff2") == octets("hello")
    assert call("read", characteristic="fff5") == octets(LONG)
    call("write", characteristic="fff2", value=octets("short"))
    assert call("read", characteristic="fff2") == octets("short")
    call("write", characteristic="fff2", value=octets(LONG[::-1]))
    assert call("read", characteristic="fff2") == octets(LONG[::-1])
    call("write", characteristic="fff2", value=octets("command"), kind="command")
    wait_until(lambda: [one for one in server.events("written") if one["value"]["utf8"] == "command"], "the command arrives")
    for characteristic in ("fff1", "fff4"):
        path = call("subscribe", characteristic=characteristic)
        for number in (1, 2, 3):
            assert cell.daemon.event("value", path=path)["value"] == octets(str(number))
        call("unsubscribe", characteristic=characteristic)
        server.event("unsubscribed", characteristic=characteristic.upper())
    call("disconnect")


@pytest.mark.rows("R0.8", "R0.13", "R0.14", "R1.6")
def test_our_central_uses_bluetoothd(cell):
    name = serve(cell, {**THEIR_ECHO, **THEIR_FIXED, "fff1": {"flags": ["notify"]}, "fff4": {"flags": ["indicate"]}})
    tree = cell.run("explore", name).document()
    found = {service["uuid"]: [one["uuid"] for one in service["characteristics"]] for service in tree["services"]}
    assert sorted(found["FFF0"]) == ["FFF1", "FFF2", "FFF4", "FFF5"]

    def read(characteristic):
        return cell.run("read", name, characteristic).document()["value"]["utf8"]

    assert read("FFF2") == "hello"
    assert read("FFF5") == LONG
    cell.run("write", name, "FFF2", "short")
    assert cell.daemon.event("written")["value"] == octets("short")
    assert read("FFF2") == "short"
    # BlueZ 5.66 counts the handle as a part of the value, and refuses more than 510 octets in one request.
    longest = LONG[::-1] if cell.lab.suite != "bookworm" else LONG[:1:-1]
    cell.run("write", name, "FFF2", longest)
    cell.daemon.event("written", value=octets(longest))
    assert read("FFF2") == longest
    cell.run("write", name, "FFF2", "command", "--without-response")
    cell.daemon.event("written", value=octets("command"))
    for characteristic in ("fff1", "fff4"):
        subscriber = cell.start("subscribe", name, characteristic, "--count", "3", "--timeout", "90")
        cell.daemon.event("subscribed", characteristic=characteristic)
        cell.daemon.call("notify", characteristic=characteristic, values=[octets(str(number)) for number in (1, 2, 3)])
        assert subscriber.finish() == 0, subscriber.text
        assert [value["value"]["utf8"] for value in subscriber.documents()] == ["1", "2", "3"]
        cell.daemon.event("unsubscribed", characteristic=characteristic)


@pytest.mark.rows("R1.9")
def test_a_thousand_notifications_of_ours_arrive_in_order(cell):
    server = cell.serve(ours(TYPED), input=subprocess.PIPE)
    cell.daemon.connect(cell.name)
    path = cell.daemon.call("acquire", device=cell.name, characteristic="fff1")
    server.event("subscribed")
    type_numbers(server, COUNT, lambda number: cell.daemon.count("value", number, path=path))
    values = cell.daemon.events("value", path=path)
    assert [value["value"] for value in values] == [octets(str(number)) for number in range(COUNT)]


def test_a_thousand_notifications_of_bluetoothd_arrive_in_order(cell):
    name = serve(cell, {"fff1": {"flags": ["notify"]}})
    subscriber = cell.start("subscribe", name, "FFF1", "--count", str(COUNT), "--timeout", "90")
    cell.daemon.event("subscribed")
    cell.daemon.call("notify", characteristic="fff1", values=[octets(str(number)) for number in range(COUNT)])
    assert subscriber.finish(240) == 0, subscriber.text[-3000:]
    assert [value["value"]["utf8"] for value in subscriber.documents()] == [str(number) for number in range(COUNT)]


def test_bluetoothd_comes_and_leaves_twenty_times(cell):
    server = cell.serve(ours(ECHO))
    cell.daemon.call("find", device=cell.name)
    for number in range(20):
        assert cell.daemon.call("connect", 300, device=cell.name)["fff0"] == ["fff2"]
        cell.daemon.call("write", device=cell.name, characteristic="fff2", value=octets(f"cycle {number}"))
        cell.daemon.call("disconnect", device=cell.name)
    assert [one["value"]["utf8"] for one in server.events("written")] == [f"cycle {number}" for number in range(20)]


def test_our_central_comes_and_leaves_twenty_times(cell):
    name = serve(cell, THEIR_ECHO)
    for number in range(20):
        cell.run("write", name, "FFF2", f"cycle {number}")
        assert cell.daemon.event("written")["value"] == octets(f"cycle {number}")
