"""`ble` beside bleak, on one bluetoothd in a guest: the processor time that a program uses for each advertisement, read and notification,
and how long after its start it shows the first advertisement, over what the daemon itself takes. Beside them is what a C program uses that
does nothing else, on sd-bus (floor.c): what is above it is the program's own.

    BLE_TOOL=.build/release/ble .venv/bin/python Interop/vm/benchmark.py [--suite bookworm] [--rounds 3]

All do the same and print a line for each operation. What a program has used between two of its lines is what the operations between them
cost; start, search, connection and end are not in it. The guest's clock counts its instructions, so that a busy machine does not change the numbers; a
real processor has others, and the ratios are what counts. Exits with 1 where an operation of ours costs more than a fifth of bleak's.
"""

import argparse
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from conftest import TOOL, Lab
from guest import WORK, Failure, run, this_suite

BLEAK = "bleak==3.1.0"
NAME = "Bench"
FEW, MANY = 20, 420
LEAST_RATIO = 5
TOOL_IN_GUEST = "env LD_LIBRARY_PATH=/tmp/lib HOME=/tmp /tmp/ble"
FLOOR_IN_GUEST = "/tmp/floor"
BLEAK_IN_GUEST = "env PYTHONPATH=/tmp/bleak PYTHONDONTWRITEBYTECODE=1 python3 /lab/bleak_program.py"


def profile(folder, name, characteristics):
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"name": name, "services": [{"uuid": "FFF0", "characteristics": characteristics}]}))
    return path


def bleak_for(lab):
    """bleak as it is on PyPI, for the guest's Python, put where the guest sees it."""
    python = next((WORK / lab.suite / "root" / "usr" / "bin").glob("python3.*[0-9]")).name.removeprefix("python")
    folder = WORK / f"bleak-{python}"
    if not (folder / "bleak").exists():
        # The guest's C library is Debian's: at least 2.36.
        platforms = [word for minor in (17, 28, 34, 36) for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary=:all:",
            "--implementation", "cp", "--python-version", python, *platforms, "--platform", "manylinux2014_x86_64",
            "--target", folder, BLEAK)
    shutil.copytree(folder, lab.share / "bleak")


class Benchmark:
    def __init__(self, lab, rounds):
        self.lab = lab
        self.rounds = rounds
        bleak_for(lab)
        run("clang", "-O2", "-Wall", "-Wextra", "-Werror", "-o", lab.share / "floor", HERE / "floor.c", "-lsystemd")
        # Empty where the tool has Swift's libraries in it.
        (lab.share / "lib").mkdir(exist_ok=True)
        # What is measured is not how quickly the guest gets its files from outside; what Python compiles is compiled beforehand.
        self.do("cp -r /host/ble /host/lib /host/bleak /host/floor /tmp/ && python3 -m compileall -q /tmp/bleak", 300)
        # One only: what a daemon under emulation is behind with is not heard at all.
        characteristics = [
            {"uuid": "FFF1", "properties": ["notify"], "notify": {"every": 0.02, "values": [{"utf8": "value {n}"}]}},
            {"uuid": "FFF2", "properties": ["read"], "value": {"utf8": "twenty octets of it."}}]
        server = lab.outside("serve", profile(lab.folder, NAME, characteristics), "--adapter", f"radio:vm/{NAME}")
        server.wait_for("Advertising")

    def do(self, line, seconds=60):
        status, output = self.lab.guest.run(line, seconds)
        if status != 0:
            raise Failure(f"in the guest: {line}: {status}\n{output}")
        return output

    def measured(self, command, limit=None, begin=0):
        words = f"--from {begin} " + (f"--lines {limit} " if limit else "")
        found = json.loads(self.do(f"python3 /lab/measured.py {words}{command}", 600))
        if found["status"] not in (0, 130) or found["lines"] == 0:
            raise Failure(f"{command}: {found}")
        return found

    def cost(self, command, limit=None):
        """Microseconds of the processor for an operation of a program with at least MANY."""
        found = self.measured(command, limit, FEW)
        if found["counted"] < (MANY - FEW) * 0.8:
            raise Failure(f"{command}: {found}")
        return found["processor"] / found["counted"] * 1e6

    def compare(self, title, *commands):
        """All in turn, so that what else the daemon does is the same for all."""
        rounds = []
        for _ in range(self.rounds):
            rounds.append([command() for command in commands])
            self.disconnect()
        mine, other, floor = (statistics.median(values) for values in zip(*rounds))
        print(f"{title:15}  {mine:8.0f}  {other:8.0f}  {other / mine:11.1f}  {floor:11.0f}  {other / floor:13.1f}", flush=True)
        return other / mine

    def disconnect(self):
        """Ends the link that the C program leaves behind, and waits for its end: the next program is not to join it."""
        self.do("bluetoothctl disconnect >/dev/null; while bluetoothctl devices Connected | grep -q ^Device; do sleep 0.2; done; true")

    def forget(self):
        """bluetoothd is to hear the devices for the first time."""
        self.do("for device in $(bluetoothctl devices | grep -o '..:..:..:..:..:..'); do bluetoothctl remove $device >/dev/null; done; true")

    def first(self, command):
        """Milliseconds from a program's start to its first advertisement, and how many of them are the daemon's."""
        self.forget()
        watch = self.lab.guest.start(
            "exec dbus-monitor --system --profile \"interface='org.bluez.Adapter1'\" "
            "\"type='signal',interface='org.freedesktop.DBus.ObjectManager'\" "
            "\"type='signal',interface='org.freedesktop.DBus.Properties'\" 2>&1")
        watch.wait_for("NameAcquired")
        found = self.measured(command, 1)
        lines = [line.split("\t") for line in watch.interrupt()[1].splitlines()]
        began = next(float(line[1]) for line in lines if line[0] == "mc" and line[-1] == "StartDiscovery")
        told = next(float(line[1]) for line in lines if line[0] == "sig" and float(line[1]) > began and (
            line[-1] == "InterfacesAdded" or "/dev_" in line[5] and line[-1] == "PropertiesChanged"))
        return found["first"] * 1e3, (told - began) * 1e3

    def starts(self):
        print(f"\n{'ms of':15}  {'start to first':>14}  {'the daemon':>10}  {'over it':>7}")
        # A line as soon as something is heard, as bleak's: without --duplicates `ble scan` waits for what the scan response adds.
        for title, command in [("ble", f"{TOOL_IN_GUEST} scan --duplicates --duration 0 --timeout 60 --adapter bluez"),
                               ("bleak", f"{BLEAK_IN_GUEST} scan")]:
            times = [self.first(command) for _ in range(max(3, self.rounds))]
            whole, daemon = (statistics.median(values) for values in zip(*times))
            over = statistics.median(one - other for one, other in times)
            print(f"{title:15}  {whole:14.0f}  {daemon:10.0f}  {over:7.0f}", flush=True)
        loading = statistics.median(self.measured(f"{TOOL_IN_GUEST} --version")["seconds"] * 1e3 for _ in range(3))
        print(f"{'ble --version':15}  {loading:14.0f}", flush=True)

    def operations(self):
        ratios = []
        print(f"{'us of processor':15}  {'ble':>8}  {'bleak':>8}  bleak / ble  {'sd-bus in C':>11}  bleak / sd-bus", flush=True)
        monitor = self.lab.guest.start("exec python3 /lab/monitor.py 2>&1")
        monitor.wait_for("active")
        ratios.append(self.compare(
            "advertisement",
            lambda: self.cost(f"{TOOL_IN_GUEST} scan --duplicates --duration 0 --timeout 60 --adapter bluez", MANY),
            lambda: self.cost(f"{BLEAK_IN_GUEST} scan", MANY),
            lambda: self.cost(f"{FLOOR_IN_GUEST} scan {MANY}")))
        monitor.end_input()
        monitor.wait()
        # As octets, which is what bleak's print.
        (self.lab.share / "reads").write_text("read FFF2 --format hex\n" * MANY)
        connected = f"python3 /lab/floor_program.py {FLOOR_IN_GUEST}"
        ratios.append(self.compare(
            "read",
            lambda: self.cost(f"{TOOL_IN_GUEST} connect {NAME} --script /host/reads --timeout 60 --adapter bluez"),
            lambda: self.cost(f"{BLEAK_IN_GUEST} read {NAME} fff2 {MANY}"),
            lambda: self.cost(f"{connected} read {NAME} fff2 {MANY}")))
        ratios.append(self.compare(
            "notification",
            lambda: self.cost(f"{TOOL_IN_GUEST} subscribe {NAME} FFF1 --format hex --count {MANY} --timeout 60 --adapter bluez"),
            lambda: self.cost(f"{BLEAK_IN_GUEST} subscribe {NAME} fff1 {MANY}"),
            lambda: self.cost(f"{connected} subscribe {NAME} fff1 {MANY}")))
        return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default=None)
    parser.add_argument("--rounds", type=int, default=3)
    words = parser.parse_args()
    # Whoever ends it ends the guest with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="ble-benchmark-") as folder:
        lab = Lab(words.suite or this_suite(), pathlib.Path(folder), counts=True)
        try:
            version = lab.guest.run("bluetoothd --version")[1].strip()
            print(f"{TOOL} beside {BLEAK}, BlueZ {version}, {lab.suite}; medians of {words.rounds}", flush=True)
            benchmark = Benchmark(lab, words.rounds)
            ratios = benchmark.operations()
            benchmark.starts()
        finally:
            lab.stop()
    return 0 if min(ratios) >= LEAST_RATIO else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, subprocess.CalledProcessError) as failure:
        sys.exit(f"error: {failure}")
