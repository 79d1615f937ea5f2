"""A guest with a kernel and a bluetoothd of Debian's, whose controller is one of the embedded radio outside of it."""

import itertools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from cell import Cell
from daemon import Daemon
from grounds import Grounds
from guest import WORK, Guest, this_suite
from kernel import KernelGuard
from programs import Running, wait_until

TOOL = pathlib.Path(os.environ.get("BLE_TOOL", HERE.parents[1] / ".build" / "debug" / "ble"))
SUITES = os.environ.get("BLE_VM_SUITES", this_suite()).split()


class RadioAir:
    """The embedded radio, with a controller on it for the guest."""

    def __init__(self, lab):
        self.socket = lab.runtime / "controller.sock"
        lab.outside("controller", "--listen", f"unix-server:{self.socket}", "--air", "vm", "--capture", lab.folder / "controller.btsnoop",
                    "--capture-keys", lab.folder / "controller.keys")
        wait_until(self.socket.exists, "ble controller listens")
        self.folder = lab.folder

    def kept(self):
        """What tells of the guest's controller where a test has failed."""
        return sorted(self.folder.glob("controller*"))

    def adapter(self, name):
        """For a program outside that is the device of that name."""
        return f"radio:vm/{name}"


class Lab:
    """An air outside, and a guest whose adapter is on it."""

    tool = TOOL
    # Those that have a guest now.
    running = []

    def __init__(self, suite, folder, air=RadioAir, **options):
        """`air`: where the controllers are; `options` are the guest's."""
        self.suite = suite
        self.folder = folder
        self.share = folder / "host"
        self.share.mkdir(parents=True)
        self.programs = []
        self._daemon = None
        # The path of a socket has room for 107 octets.
        self.runtime = pathlib.Path(tempfile.mkdtemp(prefix="ble-vm-"))
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime), "XDG_STATE_HOME": str(self.runtime / "state"),
                            "XDG_CONFIG_HOME": str(self.runtime / "config")}
        # Outside of the guest nothing but the radio is used.
        self.environment["BLE_ADAPTER"] = "radio"
        self.carry(TOOL)
        self.air = air(self)
        self.guest = Guest(suite, [self.air.socket], self.share, **options)
        self.running.append(self)
        try:
            self.guest.wait_until_ready()
        except BaseException:
            self.stop()
            raise

    @property
    def daemon(self):
        """bluetoothd's client in the guest; another one where the last has ended."""
        if self._daemon is None or self._daemon.command.status is not None:
            self._daemon = Daemon(self.guest)
        return self._daemon

    def carry(self, program):
        """A program and the libraries that are not Debian's, for the guest; gives its path there, below /programs."""
        if not (self.share / program.name).exists():
            shutil.copy2(program, self.share / program.name)
            (self.share / "lib").mkdir(exist_ok=True)
            for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
                found = re.search(r"=> (\S*/swift/\S+)", line)
                if found and not (self.share / "lib" / pathlib.Path(found[1]).name).exists():
                    shutil.copy2(found[1], self.share / "lib")
        return f"/programs/{program.name}"

    def outside(self, *words, **options):
        """Starts the tool on this machine; its output is in a file of the folder. `options` are those of Running."""
        running = Running([TOOL, *words], self.folder / f"outside-{len(self.programs)}.log", self.environment, **options)
        self.programs.append(running)
        return running

    def start(self, *words, before="", within="", program="/programs/ble"):
        """Starts the tool in the guest, or another program. Its output has what it says on standard error. `before`: what the shell does first;
        `within`: what takes the command line as its last word, as `capsh --user=user -- -c` does."""
        line = f"{program} {' '.join(words)}"
        line = f"{within} {shlex.quote(line)}" if within else line
        return self.guest.start(f"export LD_LIBRARY_PATH=/programs/lib HOME=/tmp; {before} exec {line} 2>&1")

    def ble(self, *words, seconds=60, **options):
        """Runs the tool in the guest: status and output."""
        return self.start(*words, **options).wait(seconds)

    def remove_devices(self):
        """bluetoothd removes all devices that it knows: their keys, and the services that it has cached."""
        self.guest.run("for d in $(bluetoothctl devices | cut -d' ' -f2); do bluetoothctl remove $d; done", 120)

    def stop(self):
        self.guest.stop()
        if self in self.running:
            self.running.remove(self)
        for program in self.programs:
            program.stop()
        shutil.rmtree(self.runtime, ignore_errors=True)


@pytest.fixture(scope="session", params=SUITES)
def lab(request, tmp_path_factory):
    lab = Lab(request.param, tmp_path_factory.mktemp(request.param))
    yield lab
    lab.stop()


numbers = itertools.count(1)


@pytest.fixture
def cell(request, lab, tmp_path):
    """Our device and a client of bluetoothd's; where the test fails, captures and logs are kept in .build/vm/failures."""
    cell = Cell(lab, tmp_path, f"Device{next(numbers)}")
    yield cell
    try:
        if request.node.stash.get(FAILED, False):
            name = re.sub(r"[^\w.-]+", "-", f"{request.module.__name__}-{request.node.name}")
            folder = WORK / "failures" / name
            shutil.rmtree(folder, ignore_errors=True)
            print(f"kept in {folder}: {', '.join(cell.keep(folder))}")
    finally:
        cell.close()


FAILED = pytest.StashKey()


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    deal_out(config, items)


def deal_out(config, items):
    """BLE_VM_PART="0/2" leaves the first of two parts, as a brief run does that has two suites: each test is run with one of them. Rows of one
    story stay together, as it is told once for all of them. BLE_VM_SEED says with which part the first test is."""
    number, parts = map(int, os.environ.get("BLE_VM_PART", "0/1").split("/"))
    first = int(os.environ.get("BLE_VM_SEED", "0"))
    groups, left = {}, []
    for item in items.copy():
        if item.get_closest_marker("outside"):
            continue
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        key = (item.module.__name__, item.originalname, parameters.get("ground"), parameters.get("story"))
        if (first + groups.setdefault(key, len(groups))) % parts != number:
            items.remove(item)
            left.append(item)
    config.hook.pytest_deselected(items=left)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    # A test may be run a second time.
    item.stash[FAILED] = report.failed or (report.when != "setup" and item.stash[FAILED])
    return report


def pytest_configure(config):
    # Whoever ends the tests ends the guests with them.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    config.addinivalue_line("markers", "ground(name): which adapter our side is on: radio, hci or bluez")
    config.addinivalue_line("markers", "rows(*numbers): the requirements (Docs/requirements.md) that a test shows")
    config.addinivalue_line("markers", "limit(section, words): what bluetoothd cannot do of it, by the line of Docs/bluez.md")
    config.addinivalue_line("markers", "outside: happens on this machine alone, and is the same for all suites")
    config.addinivalue_line("markers", "first: wants a guest in which nothing else has been done")
    grounds = Grounds()
    config.pluginmanager.register(grounds)
    config.pluginmanager.register(KernelGuard(Lab.running, WORK / "failures", grounds.forget))
