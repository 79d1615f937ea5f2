"""The two sides of a story: programs on the ground that is tested, and devices outside on the radio."""

import pathlib
import shlex
import subprocess

from guest import PACKAGE
from hotplug import HotPlug
from programs import Running

# Made by `Examples/check --build`.
EXAMPLES = PACKAGE / "Examples" / ".build" / "programs"


class Stage:
    """`ground`: radio, hci or bluez. Programs have names; what all of one name have said is one text."""

    def __init__(self, lab, ground, folder):
        self.lab = lab
        self.ground = ground
        self.folder = folder
        self.adapter = "radio:vm/near" if ground == "radio" else ground
        self.programs = []
        if ground == "bluez":
            HotPlug(lab).wait_until_powered()

    def near(self, name, program, *words):
        """Starts a program on the ground: the tool, or an example."""
        if self.ground == "radio":
            return self._keep(name, self._outside(name, program, words, self.adapter))
        path = self.lab.carry(self._path(program))
        home = "/tmp/rows"
        return self._keep(name, self.lab.guest.start(
            f"mkdir -p {home}; export LD_LIBRARY_PATH=/programs/lib HOME={home} BLE_ADAPTER={self.adapter}; "
            f"exec {path} {shlex.join(map(str, words))} 2>&1"))

    def far(self, name, program, *words):
        """Starts a device outside, of that name; or another program of it."""
        return self._keep(name, self._outside(name, program, words, f"radio:vm/{name}"))

    def run(self, name, program, *words, status=0):
        """A program on the ground, to its end."""
        running = self.near(name, program, *words)
        ended = running.finish(240)
        assert ended == status, f"{program} {words}: {ended}: {running.text[-3000:]}"
        return running.text

    def text(self, name):
        return "\n".join(program.text for other, program in self.programs if other == name)

    def share(self, name, text):
        """A file for the programs of the ground, by its path there; the tool finds it outside as well."""
        (self.lab.share / name).write_text(text)
        return self.outside_path(name) if self.ground == "radio" else f"/host/{name}"

    def outside_path(self, name):
        return self.lab.share / name

    def path(self, name):
        """Of a file that a program of the ground makes."""
        if self.ground == "radio":
            return self.folder / name
        self.lab.guest.run(f"rm -f /tmp/{name}*")
        return f"/tmp/{name}"

    def leave(self, program):
        """Ends a program of the ground as a crash does. The daemon's links outlive that (Docs/bluez.md): they are ended as it says there."""
        program.kill()
        if self.ground == "bluez":
            self.lab.guest.run("for d in $(bluetoothctl devices Connected | cut -d' ' -f2); do bluetoothctl disconnect $d; done")

    def close(self):
        for _, program in self.programs:
            program.kill()
        if self.ground == "bluez":
            self.lab.remove_devices()
        elif self.ground == "hci":
            HotPlug(self.lab).wait_until_powered()

    def _outside(self, name, program, words, adapter):
        log = self.folder / f"{name}-{len(self.programs)}.log"
        return Running([self._path(program), *words], log, {**self.lab.environment, "BLE_ADAPTER": adapter}, input=subprocess.PIPE)

    def _keep(self, name, program):
        self.programs.append((name, program))
        return program

    def _path(self, program):
        return pathlib.Path(self.lab.tool if program == "ble" else EXAMPLES / program)
