"""Answers that need a scene which requests made by chance do not bring about, against their descriptions (OpenAPI)."""
import base64
import time

import pytest

import captures
from test_interface import CHECKS, Demo

DEVICE = "/api/v1/devices/{identifier}"


@pytest.fixture(scope="module")
def scene():
    one = Demo()
    one.ask("PUT", "radio", {"speed": 1})
    yield one
    one.end()


@pytest.fixture
def ask(scene):
    """Asks, and compares the answer with what the description says of it."""
    def asked(method, path, body=None, **parameters):
        case = scene.schema[path][method].Case(
            path_parameters={name: str(value) for name, value in parameters.items()},
            **({} if method == "GET" else {"body": body or {}, "media_type": "application/json"}))
        response = scene.answer(case)
        assert response.status_code == 200, (method, path, response.text)
        case.validate_response(response, checks=CHECKS)
        return response.json()
    return asked


def until(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, what
    return found


def test_device_files_and_commands(ask, scene):
    lamp = scene.devices["Lamp"]
    assert ask("GET", DEVICE + "/device-file", identifier=lamp)["file"] is None
    ask("POST", DEVICE + "/device-file", {"file": "lamp"}, identifier=lamp)
    until(lambda: scene.ask("GET", f"devices/{lamp}")["state"] == "ready", "it is ready again")
    ask("POST", DEVICE + "/commands/{command}", {"values": {"brightness": 77}}, identifier=lamp, command="dim")
    answer = ask("POST", DEVICE + "/commands/{command}", identifier=lamp, command="brightness")["answer"]
    assert answer["brightness"]["value"] == 77
    assert ask("GET", DEVICE + "/device-file", identifier=lamp)["state"]["brightness"]["value"] == 77
    text = ask("GET", "/api/v1/device-files/{name}", name="lamp")["text"]
    ask("PUT", "/api/v1/device-files/{name}", {"text": text}, name="mine")
    assert "mine" in [one["file"] for one in ask("GET", "/api/v1/device-files")["files"]]
    ask("DELETE", "/api/v1/device-files/{name}", name="mine")
    ask("PUT", "/api/v1/serving", {"device_file": "lamp"})
    ask("PUT", "/api/v1/serving/state/{field}", {"value": "12"}, field="brightness")
    ask("DELETE", "/api/v1/serving")
    ask("DELETE", DEVICE + "/device-file", identifier=lamp)
    assert scene.metric('ble_commands_total{outcome="ok"}') == 2


def test_clones(ask, tmp_path):
    capture = captures.conversation(100).write(tmp_path / "conversation.btsnoop")
    body = {"capture": base64.b64encode(capture.read_bytes()).decode(), "file": "clone"}
    assert ask("POST", "/api/v1/clones", body)["file"] == "clone"


def test_channels_and_throughput(ask, scene):
    echo = scene.devices["Echo"]
    scene.ask("POST", f"devices/{echo}/connect")
    until(lambda: scene.ask("GET", f"devices/{echo}")["services"], "it is connected")
    number = ask("POST", DEVICE + "/channels", identifier=echo)["channel"]
    ask("POST", DEVICE + "/channels/{number}/send", {"value": "hello", "format": "utf8"}, identifier=echo, number=number)
    until(lambda: ask("GET", DEVICE + "/channels/{number}", identifier=echo, number=number)["received"] == 5, "it is sent back")
    assert ask("PUT", DEVICE + "/channels/{number}", {"paused": True}, identifier=echo, number=number)["paused"]
    assert ask("GET", DEVICE + "/channels", identifier=echo)["channels"]
    assert not ask("DELETE", DEVICE + "/channels/{number}", identifier=echo, number=number)["open"]
    ask("GET", DEVICE + "/throughput", identifier=echo)
    body = {"characteristic": "FFE1", "octets": 2_000}
    assert ask("POST", DEVICE + "/throughput", body, identifier=echo)["octets"] == 2_000
    ask("GET", "/api/v1/serving/channels")


def test_chats(ask):
    ask("PUT", "/api/v1/chat", {"name": "Explorer"})
    until(lambda: ask("GET", "/api/v1/chat")["partner"], "the other side is there")
    ask("POST", "/api/v1/chat/messages", {"text": "hello"})
    until(lambda: len(ask("GET", "/api/v1/chat")["messages"]) >= 2, "it answers")
    ask("DELETE", "/api/v1/chat")


def test_the_log_and_its_packets(ask, scene):
    heart = scene.devices["Heart rate"]
    ask("POST", DEVICE + "/read", {"characteristic": "2A29"}, identifier=heart)
    entries = ask("GET", "/api/v1/log")["entries"]
    call = next(one for one in reversed(entries) if one["kind"] == "call" and one["data"]["call"].endswith("/read"))
    packets = ask("GET", "/api/v1/packets/{after}/{through}", **call["packets"])["packets"]
    assert packets
    later = ask("GET", "/api/v1/log/{after}", after=call["number"])
    assert all(one["number"] > call["number"] for one in later["entries"]) and later["part"] is False
    assert ask("GET", "/api/v1/recordings") == {"recordings": []}
