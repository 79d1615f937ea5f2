"""Runs the tests of this folder with the kernel and the daemon of each suite of Debian's, all suites at once, and prints one table for all.

    python run.py [--brief] [words for pytest]

BLE_VM_SUITES names the suites ("bookworm trixie"; without it, this machine's). --brief: as continuous integration runs them, with fewer
repetitions of what is repeated, with some of the cells on rootcanal's air, and each test with one of the suites, another one from run to run.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
from grounds import Grounds
from guest import WORK, Build, Failure, this_suite

# How often is repeated in a brief run what is repeated, and which cells are tried on rootcanal's air.
BRIEF = {"BLE_VM_KILLS": "3", "BLE_VM_REMOVALS": "2", "BLE_VM_CHANNEL_OCTETS": "500000", "BLE_VM_ROOTCANAL": "some"}


class Suite:
    """pytest in a process of its own. Its lines are printed as they come, behind the suite's name."""

    def __init__(self, name, words, settings):
        self.name = name
        # pytest's summary: a line for each test that failed, and for each guest whose kernel has stopped.
        self.failures = []
        self.results = WORK / f"results-{name}.json"
        self.results.unlink(missing_ok=True)
        # pytest cuts the lines of its summary to the width of the terminal.
        environment = {**os.environ, **settings, "BLE_VM_SUITES": name, "BLE_VM_RESULTS": str(self.results), "COLUMNS": "250"}
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "pytest", HERE, "--basetemp", WORK / f"tests-{name}", *words], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            print(f"{self.name}: {line}", end="", flush=True)
            if line.startswith(("FAILED ", "ERROR ", f"guest {self.name}: ")) and line.rstrip() not in self.failures:
                self.failures.append(line.rstrip())

    def wait(self):
        status = self.process.wait()
        self.reader.join()
        return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brief", action="store_true")
    options, words = parser.parse_known_args()
    names = os.environ.get("BLE_VM_SUITES", this_suite()).split()
    for name in names:
        Build(name).make()
    settings = {"BLE_VM_SEED": str(random.randrange(1 << 32)), **(BRIEF if options.brief else {})}
    settings = {name: os.environ.get(name, value) for name, value in settings.items()}
    print(f"vm: {', '.join(names)}; {' '.join(f'{name}={value}' for name, value in settings.items())}", flush=True)
    started = time.monotonic()
    # Tests that do not use the guest are the same for all suites: they run with the first.
    suites = []
    for number, name in enumerate(names):
        part = {"BLE_VM_PART": f"{number}/{len(names)}"} if options.brief else {}
        suites.append(Suite(name, [*words, *(["-m", "not outside"] if number else [])], {**settings, **part}))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: [suite.process.terminate() for suite in suites])
    statuses = [suite.wait() for suite in suites]
    table = Grounds()
    for suite in suites:
        if suite.results.exists():
            table.add(json.loads(suite.results.read_text()))
    if table.rows:
        print("\n".join(table.lines()))
    for suite in suites:
        for line in suite.failures:
            print(f"{suite.name}: {line}")
    print(f"vm: {', '.join(f'{suite.name}: exit {status}' for suite, status in zip(suites, statuses))}; "
          f"{(time.monotonic() - started) / 60:.1f} minutes")
    sys.exit(max(map(abs, statuses)))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
