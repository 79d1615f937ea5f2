"""A device out of the log of a session with BlueZ: the traffic of the guest's kernel with its controller."""

import json
import pathlib
import re

EVERYTHING = pathlib.Path(__file__).resolve().parents[1] / "profiles" / "everything.json"
NAME = "OnceLogged"


def program(lab):
    """What the guest's central does with the device; answers what it sees, without the device's identity."""
    seen = []
    for words in [
        ("explore", NAME), ("write", NAME, "FFF2", "written"), ("read", NAME, "FFF2"), ("read", NAME, "FFE1"),
        ("subscribe", NAME, "FFF1", "--count", "3"), ("subscribe", NAME, "FFE2", "--count", "3"),
    ]:
        status, output = lab.ble(*words, "--adapter", "bluez", seconds=120)
        assert status == 0, output[-2000:]
        lines = [line for line in output.splitlines() if not line.startswith(NAME)]
        # The counters go on, wherever the central begins to listen.
        seen += [re.sub(r"(send data|confirm) : \d+", r"\1", line.split("(")[0]) for line in lines]
    return seen


def test_a_device_is_cloned_of_bluezs_log(lab, tmp_path):
    profile = json.loads(EVERYTHING.read_text())
    profile["name"] = NAME
    (tmp_path / "original.json").write_text(json.dumps(profile))
    original = lab.outside("serve", tmp_path / "original.json", "--adapter", "radio:vm/logged")
    original.wait_for("Advertising")
    expected = program(lab)
    original.stop()
    lab.remove_devices()

    # It is written with a short delay: the session's end is in it when the next program of the guest has been served.
    log, file = lab.folder / "controller.btsnoop", tmp_path / "clone.json"
    maker = lab.outside("clone", log, "--device", NAME, "-o", file, "--json")
    assert maker.finish(120) == 0, maker.text
    made = json.loads([line for line in maker.text.splitlines() if line.startswith("{")][-1])
    assert made["share"] >= 0.95, made

    played = lab.outside("serve", file, "--adapter", "radio:vm/played")
    played.wait_for("Advertising")
    assert program(lab) == expected
    played.stop()
