"""Our host on the embedded radio and the real bluetoothd: what went wrong between the two once stays mended."""

import pytest

from daemon import Refused
from steps import ECHO, GUARDED, SECRET, THEIR_ECHO, keys, octets, ours, serve


def test_I11_21_a_write_without_response_arrives_though_the_program_ends_behind_it(cell):
    name = serve(cell, THEIR_ECHO)
    for number in range(6):
        cell.run("write", name, "FFF2", f"value {number}", "--without-response")
        assert cell.daemon.event("written")["value"] == octets(f"value {number}")
    assert cell.bluetoothd() == cell.daemon_process


def test_I11_22_a_pairing_that_is_not_wanted_leaves_no_key_with_the_other_side(cell):
    server = cell.serve(ours(ECHO, GUARDED))
    cell.daemon.call("agent", capability="NoInputNoOutput")
    cell.daemon.connect(cell.name)
    cell.daemon.call("pair", device=cell.name)
    server.event("paired", method="just-works", bonded=True)
    assert cell.daemon.call("read", device=cell.name, characteristic="fff3") == octets(SECRET)
    # It loses the key. Anybody could say so: the bond here stays as it is.
    cell.daemon.call("forget", device=cell.name)
    cell.daemon.connect(cell.name)
    with pytest.raises(Refused):
        cell.daemon.call("pair", device=cell.name)
    server.event("pairing-failed")
    assert cell.daemon.call("device", device=cell.name)["Paired"] is False
    assert "LongTermKey" not in keys(cell)
    # So it can still connect, and use what is open.
    if cell.daemon.call("device", device=cell.name)["Connected"]:
        cell.daemon.call("disconnect", device=cell.name)
    cell.daemon.connect(cell.name)
    assert cell.daemon.call("read", device=cell.name, characteristic="fff2") == octets("hello")
    assert len(server.events("paired")) == 1


def test_I11_23_a_pairing_of_this_run_is_not_said_to_have_been_there(cell):
    cell.daemon.call("agent", capability="DisplayOnly")
    name = serve(cell, {"fff3": {"flags": ["encrypt-authenticated-read"], "value": octets(SECRET)}})

    def pair():
        program = cell.start("pair", name, "--io", "keyboard-only", "--level", "authenticated", "--timeout", "90",
                             with_json=False, asks=True)
        passkey = cell.daemon.event("asked", question="shown")["passkey"]
        cell.terminal.answer("[Pp]asskey|digits", passkey)
        assert program.finish() == 0, program.text
        return program.text

    assert "Already paired" not in pair()
    cell.run("unpair", name, with_json=False)
    assert "LongTermKey" in keys(cell), "bluetoothd is to have its key still"
    said = pair()
    assert "Paired" in said and "Already paired" not in said
    assert f'"{SECRET}"' in cell.run("read", name, "FFF3", with_json=False).text
