"""Programs that checks of gateways start: Debian's mosquitto, and `ble`."""

import collections
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from ports import free_port

MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin")


class Failure(Exception):
    pass


def environment(folder):
    """For programs on the embedded radio, with folders of their own."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("BLE_")}
    variables["BLE_ADAPTER"] = "radio"
    variables["BLE_RADIO_SPEED"] = "10"
    for variable in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        variables[variable] = os.path.join(folder, variable)
        os.mkdir(variables[variable], 0o700)
    return variables


def wait_until(holds, what, seconds=120):
    """What ends it is what happens; the limit is for what never does."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Failure(f"did not happen within {seconds} s: {what}")
        time.sleep(0.05)


class Broker:
    """Writes each change to its folder, so that it may be killed."""

    def __init__(self, folder, addresses=("127.0.0.1",)):
        self.port = free_port()
        self.settings = os.path.join(folder, "mosquitto.conf")
        listeners = "".join(f"listener {self.port} {address}\n" for address in addresses)
        with open(self.settings, "w", encoding="utf-8") as file:
            file.write(
                f"{listeners}allow_anonymous true\npersistence true\npersistence_location {folder}/\n"
                "autosave_interval 1\nautosave_on_changes true\nmax_inflight_messages 0\nmax_queued_messages 0\n"
                "log_dest none\n" + ("user root\n" if os.geteuid() == 0 else ""))
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [MOSQUITTO, "-c", self.settings], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.listens, "mosquitto listens", 30)

    def listens(self):
        if self.process.poll() is not None:
            raise Failure(f"mosquitto ended with {self.process.returncode}")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()


class Program:
    """`ble` with a thread that reads its events."""

    def __init__(self, scene, *words, name, before=()):
        """`before` is a command that runs the program, such as nsenter."""
        self.events = collections.Counter()
        self.written = []
        self.leases = set()
        self.process = subprocess.Popen(
            [*before, scene.tool, *words, "--json", "--adapter", f"radio:gateways/{name}"], env=scene.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            if not line.endswith(b"\n"):
                return
            event = json.loads(line)
            name = event["event"]
            self.events[f"{name} {event['status']}" if name in ("broker", "lease") else name] += 1
            if name == "lease" and event["status"] in ("held", "ended"):
                (self.leases.add if event["status"] == "held" else self.leases.discard)(event["device"])
            if name == "written":
                self.written.append(event["value"]["utf8"])

    def has(self, event, count=1):
        if self.process.poll() is not None:
            raise Failure(f"a program ended by itself, with {self.process.returncode}")
        return self.events[event] >= count

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.reader.join()
