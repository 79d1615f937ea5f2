"""One cell of the matrix: a device of ours on the air, outside, and bluetoothd in the guest."""

import json
import os

from programs import Running, Terminal


class Cell:
    """Our device of that name, with a memory of its own, and a client of bluetoothd's. What either has made ends with it."""

    def __init__(self, lab, folder, name):
        self.lab = lab
        self.folder = folder
        self.name = name
        self.programs = []
        self.terminal = Terminal()
        self.environment = {**lab.environment, "XDG_STATE_HOME": str(folder / "state"), "NO_COLOR": "1"}
        self.is_secure = True
        self.daemon = lab.daemon
        self.said_before = len(self.daemon.command.output)
        self.daemon_process = self.bluetoothd()

    def start(self, *words, with_json=True, asks=False, output=None, input=None):
        """Starts the tool as our device. `asks`: on the terminal of the cell, instead of having none."""
        number = len(self.programs)
        command = [self.lab.tool, *words, "--adapter", self.lab.air.adapter(self.name), *(["--json"] if with_json else []),
                   "--capture", self.folder / f"ours-{number}.btsnoop"]
        running = Running(command, self.folder / f"ours-{number}.log", self.environment,
                          terminal=self.terminal if asks else None, output=output, input=input)
        self.programs.append(running)
        return running

    def run(self, *words, status=0, **options):
        """Runs the tool as our device; gives it when it has ended with that status."""
        program = self.start(*words, "--timeout", "90", **options)
        ended = program.finish(240)
        assert ended == status, f"{program.command} ended with {ended}:\n{program.text[-3000:]}"
        return program

    def profile(self, services):
        """Writes a profile for `ble serve`."""
        path = self.folder / "profile.json"
        path.write_text(json.dumps({"name": self.name, "services": services}))
        return path

    def serve(self, services, *words, **options):
        """Our device is a peripheral with these services; `options` are those of `start`."""
        server = self.start("serve", self.profile(services), *words, **options)
        server.event("advertising")
        return server

    def bluetoothd(self):
        """The number of bluetoothd's process: another one where it has been started again."""
        return self.lab.guest.run("pidof bluetoothd")[1].strip()

    def secure_connections(self, on):
        """Whether the guest's kernel pairs by Secure Connections."""
        if on != self.is_secure:
            assert self.daemon.call("secure_connections", on=on) == 0
            self.is_secure = on

    def close(self):
        for program in self.programs:
            program.stop()
        self.terminal.close()
        if not self.is_secure:
            self.secure_connections(True)
        self.daemon.reset()
        # Whatever was done to it, it is to be the one that it was.
        assert self.bluetoothd() == self.daemon_process, "bluetoothd has ended and was started again"

    def keep(self, folder):
        """Keeps what tells of a failure: captures of both sides, and what was said."""
        folder.mkdir(parents=True, exist_ok=True)
        for path in [*self.folder.glob("*.log"), *self.folder.glob("*.btsnoop"), *self.lab.air.kept()]:
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "driver.log").write_bytes(self.daemon.command.output[self.said_before:])
        (folder / "bluetoothd.log").write_text(self.lab.guest.run("tail -c 200000 /run/bluetoothd.log")[1])
        (folder / "kernel.log").write_text(self.lab.guest.run("dmesg | tail -n 200")[1])
        return sorted(os.listdir(folder))
