"""The lines of Docs/raspberry-pi.md, run as they stand there by a user without privileges in the guest. What installs, downloads and builds is
stood in for: the guest's network leads nowhere, and the tool is built outside."""

import pathlib
import re
import shlex

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Docs" / "raspberry-pi.md"
# On the user's PATH before the guest's own. Each says what it was asked for; what makes files makes them as the real one does.
STAND_INS = {
    "sudo": 'echo "sudo $*"; exec "$@"',
    "install": 'echo "install $*"; exec cp "$1" "$2"',
    "apt-get": 'echo "apt-get $*"',
    "git": '[ "$1" = clone ] && mkdir -p "$3" && echo "git $*"',
    "swift": '[ "$1" = build ] && mkdir -p .build/release && cp /programs/ble .build/release/ble && echo "swift $*"',
}


def lines(heading):
    """The commands of the first block below a heading."""
    section = PAGE.read_text().partition(f"## {heading}\n")[2]
    block = re.search(r"```console\n(.*?)```", section, re.DOTALL)
    return [line.removeprefix("$ ") for line in block[1].splitlines() if line.startswith("$ ")]


@pytest.fixture
def user(lab):
    """A user of the guest's with the stand-ins, who may put programs into /usr/local/bin: that is what `sudo` would let them."""
    made = [f"printf '%s\\n' '#!/bin/busybox sh' {shlex.quote(text)} >/tmp/quick/bin/{name}" for name, text in STAND_INS.items()]
    line = "; ".join(["set -e; rm -rf /tmp/quick; mkdir -p /tmp/quick/bin /usr/local/bin", *made, "chmod 755 /tmp/quick/bin/*",
                      "chown -R user /tmp/quick /usr/local/bin"])
    assert lab.guest.run(line) == (0, "")

    def run(commands, environment="", seconds=120):
        (lab.share / "quick.sh").write_text("set -e\n" + "\n".join(commands) + "\n")
        within = ("cd /tmp/quick; export HOME=/tmp/quick LD_LIBRARY_PATH=/programs/lib PATH=/tmp/quick/bin:/usr/local/bin:$PATH; "
                  f"{environment} exec sh /host/quick.sh")
        return lab.guest.run(f"capsh --user=user -- -c {shlex.quote(within)} 2>&1", seconds)

    yield run
    lab.guest.run("rm -rf /tmp/quick /usr/local/bin/ble")


@pytest.fixture(scope="module")
def owenli(lab):
    # The daemon shows services that it has explored earlier among the advertised ones.
    lab.remove_devices()
    server = lab.outside("serve", "owenli", "--adapter", "radio:vm")
    server.wait_for("Advertising")
    yield server
    server.stop()


@pytest.mark.ground("bluez")
def test_i12_quick_start_in_four_lines(lab, owenli, user):
    commands = lines("Quick start")
    assert len(commands) == 4
    # The angle brackets stand for an address.
    commands = [line.replace("<this repository>", "https://example.org/swift-corebluetooth") for line in commands]
    status, output = user(["id -u", *commands])
    assert status == 0, output
    assert output.startswith("1000\n")
    assert "apt-get install -y " in output and "git clone https://" in output and "swift build -c release --product ble" in output
    assert "bluez:hci0" in output, "it says which adapter it took"
    assert re.search(r"^ *-\d+ dBm .* Owenli .*\[FFF0, FFE0\]", output, re.MULTILINE), output


@pytest.mark.ground("bluez")
def test_i12_when_nothing_is_found(lab, user):
    prepared = lab.guest.run("cp /programs/ble /usr/local/bin/ble")
    assert prepared == (0, "")
    commands = [line.partition("#")[0].strip() for line in lines("When nothing is found")]
    status, output = user(["set +e", *commands, "echo done"])
    assert status == 0 and output.endswith("done\n"), output
    assert "You may use BlueZ." in output and re.search(r"bluez:hci0 .*", output), output
