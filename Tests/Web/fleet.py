"""Debian's mosquitto on a port of the loopback interface, and an explorer that shows the fleet on it."""
import json
import pathlib
import subprocess
import sys
import threading

from explorer import Explorer

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "Tools")]

from ports import free_port  # noqa: E402


class Broker:
    """A broker in a folder of its own."""

    def __init__(self, folder):
        self.port = free_port()
        self.file = folder / "mosquitto.conf"
        self.file.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\nlog_dest stderr\nlog_type information\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", str(self.file)], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if " running" in line:
                # What it says further is read, so that it never waits for its reader.
                self.reader = threading.Thread(target=self.process.stderr.read)
                self.reader.start()
                return
        raise AssertionError("mosquitto has ended")

    def publish(self, topic, message, retain=False):
        text = message if isinstance(message, str) else json.dumps(message)
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-t", topic, "-s", *(["-r"] if retain else [])],
                       input=text.encode(), check=True, timeout=30)

    def gateway(self, name, status="online", devices=1):
        """What a gateway says of itself."""
        self.publish(f"ble/{name}/status", status, retain=True)
        self.publish(f"ble/{name}/description", {
            "format": "ble-gateway/1", "gateway": name, "version": "1.2.3", "time": "2026-11-27T09:08:07.000Z",
            "devices": [{"device": f"d{number}"} for number in range(devices)], "listening": True}, retain=True)

    def device(self, gateway, device, event, path, retain=False, **members):
        """What a gateway says of a device."""
        self.publish(f"ble/{gateway}/device/{device}/{path}", {
            "key": f"{gateway}/box/1", "event": event, "time": "2026-11-27T10:00:00.000Z", "gateway": gateway, "device": device,
            "identifier": None, "address": "C0:FF:EE:00:00:01", "name": None, **members}, retain=retain)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join()


class FleetExplorer(Explorer):
    """`ble web --demo --fleet`, of a broker."""

    def __init__(self, broker, folder):
        file = folder / "fleet.json"
        file.write_text(json.dumps({
            "format": "ble-gateway/1", "broker": {"host": "127.0.0.1", "port": broker.port}, "rooms": {"attic": "Under the roof"}}))
        super().__init__("--demo", "--fleet", str(file))
