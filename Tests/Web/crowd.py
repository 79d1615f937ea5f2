"""The page with a server that has made up its devices: more than a simulated radio has, and such as mean harm."""
import http.server
import json
import pathlib
import threading

PAGE = pathlib.Path(__file__).parents[2] / "Sources/BLEWeb/Page"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


def device(number, name, time=1_000):
    return {
        "identifier": f"00000000-0000-4000-8000-{number:012X}", "address": f"C0:00:00:00:{number >> 8:02X}:{number & 255:02X}", "name": name,
        "rssi": -40 - (number * 7 + time // 250) % 60, "connectable": True, "services": ["180F"], "solicited_services": [],
        "overflow_services": [], "manufacturer_data": "4c000102", "service_data": [], "tx_power": None, "company": "Apple, Inc.",
        "beacons": [], "service_names": ["180F Battery"], "last_seen_ms": time, "interval_ms": 100 + number % 900, "stale": False,
        "strengths": [-40 - (number + second + time // 250) % 60 for second in range(60)],
    }


class Crowd:
    """Answers as the server does. With `changes` so many devices change with each event, four times a second.

    `members` are those in which the devices differ from the usual ones, by number, and `histories` what they have advertised, oldest first."""

    def __init__(self, names, changes=0, members=None, histories=None):
        self.names, self.changes, self.members, self.histories = names, changes, members or {}, histories or {}
        self.over = threading.Event()
        crowd = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                crowd.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"

    def answer(self, request):
        path = request.path.partition("?")[0]
        if path == "/api/v1/events":
            return self.events(request)
        if path.startswith("/api/v1/"):
            content, kind = json.dumps(self.state(path.removeprefix("/api/v1/"))).encode(), "application/json"
        else:
            file = PAGE / (path.strip("/") or "index.html")
            content, kind = file.read_bytes(), TYPES[file.suffix]
        request.send_response(200)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(content))), ("Content-Security-Policy", POLICY)):
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)

    def device(self, number, time=1_000):
        return {**device(number, self.names[number], time), **self.members.get(number, {})}

    def state(self, path):
        if path.endswith("/advertisements"):
            identifier = path.split("/")[1]
            number = int(identifier[-12:], 16)
            return {"identifier": identifier, "advertisements": self.histories.get(number, [])}
        if path.startswith("log/"):
            return {"entries": []}
        if path.endswith("/channels"):
            return {"channels": []}
        return {
            "devices": {"last_event": 1, "devices": [self.device(number) for number in range(len(self.names))]},
            "status": {"adapter": "made up", "state": "poweredOn", "scanning": True, "radio": False},
            "sessions": {"last_event": 1, "sessions": []}, "pairings": {"pairings": []},
            "serving": {"serving": False, "profiles": [], "characteristics": []}, "device-files": {"files": []},
        }.get(path, {"identifier": path.split("/")[-1], "state": "idle", "services": [], "subscribed": [], "attempt": 0, "left_ms": None})

    def events(self, request):
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.end_headers()
        number = 1
        try:
            while not self.over.wait(0.25):
                number += 1
                if not self.changes:
                    continue
                first = number * self.changes % len(self.names)
                changed = [(first + step) % len(self.names) for step in range(self.changes)]
                data = json.dumps({"devices": [self.device(one, number * 250) for one in changed]})
                request.wfile.write(f"id: {number}\nevent: devices\ndata: {data}\n\n".encode())
                request.wfile.flush()
        except OSError:
            pass  # The page was closed.

    def end(self):
        self.over.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
