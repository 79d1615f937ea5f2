"""A guest with a kernel and a bluetoothd of Debian's, whose controller is one of the embedded radio outside of it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from guest import Failure, Guest, this_suite

TOOL = pathlib.Path(os.environ.get("BLE_TOOL", pathlib.Path(__file__).resolve().parents[2] / ".build" / "debug" / "ble"))
SUITES = os.environ.get("BLE_VM_SUITES", this_suite()).split()


class Lab:
    """An air of the embedded radio outside, and a guest whose adapter is on it."""

    def __init__(self, suite, folder):
        self.folder = folder
        self.share = folder / "host"
        self.share.mkdir(parents=True)
        self.processes = []
        # The path of a socket has room for 107 octets.
        self.runtime = pathlib.Path(tempfile.mkdtemp(prefix="ble-vm-"))
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime), "XDG_STATE_HOME": str(self.runtime / "state"),
                            "XDG_CONFIG_HOME": str(self.runtime / "config")}
        self.environment.pop("BLE_ADAPTER", None)
        self._carry_tool()
        socket = self.runtime / "controller.sock"
        self.outside("controller", "--listen", f"unix-server:{socket}", "--air", "vm", "--capture", folder / "controller.btsnoop")
        wait_until(socket.exists, "ble controller listens")
        self.guest = Guest(suite, [socket], self.share)
        self.guest.wait_until_ready()

    def _carry_tool(self):
        """The tool and the libraries that are not Debian's, for the guest, in which they are below /host."""
        shutil.copy2(TOOL, self.share / "ble")
        (self.share / "lib").mkdir()
        for line in subprocess.run(["ldd", TOOL], capture_output=True, text=True, check=True).stdout.splitlines():
            found = re.search(r"=> (\S*/swift/\S+)", line)
            if found:
                shutil.copy2(found[1], self.share / "lib")

    def outside(self, *words):
        """Starts the tool on this machine; its output is in a file of the folder."""
        log = self.folder / f"outside-{len(self.processes)}.log"
        process = subprocess.Popen([TOOL, *map(str, words)], stdin=subprocess.DEVNULL, stdout=log.open("wb"),
                                   stderr=subprocess.STDOUT, env=self.environment)
        self.processes.append(process)
        return Running(process, log)

    def ble(self, *words, before="", seconds=60):
        """Runs the tool in the guest: status and output, with what it says on standard error."""
        line = f"export LD_LIBRARY_PATH=/host/lib; {before} /host/ble {' '.join(words)} 2>&1"
        return self.guest.run(line, seconds)

    def stop(self):
        self.guest.stop()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(self.runtime, ignore_errors=True)


class Running:
    """A program on this machine."""

    def __init__(self, process, log):
        self.process = process
        self.log = log

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    def wait_for(self, text):
        wait_until(lambda: text in self.text, f"'{text}' in {self.log}")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def wait_until(condition, what, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.05)


@pytest.fixture(scope="session", params=SUITES)
def lab(request, tmp_path_factory):
    lab = Lab(request.param, tmp_path_factory.mktemp(request.param))
    yield lab
    lab.stop()
