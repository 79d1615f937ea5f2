"""The interface for programs, asked what its own description (OpenAPI) allows, and what it forbids.

All examples follow from BLE_WEB_SEED; a failure prints it, and how to ask the same by curl. BLE_WEB_EXAMPLES is how many there are for each
operation.
"""
import os
import time

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from explorer import Explorer

SEED = int(os.environ.get("BLE_WEB_SEED", "15"))
EXAMPLES = int(os.environ.get("BLE_WEB_EXAMPLES", "50"))
# Seconds within which each request is answered. Attempts to reach a device end before, by the hurried time of the air.
LONGEST = 30
CHECKS = [schemathesis.checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
          checks.response_headers_conformance, checks.response_schema_conformance]
# What is described and has no end: the stream of events has tests of its own.
ENDLESS = {"/api/v1/events"}


class Demo(Explorer):
    """The explorer with its ten devices, two of them connected."""

    def __init__(self):
        super().__init__("--demo")
        self.http = requests.Session()
        self.ask("PUT", "radio", {"speed": 20})
        while len(devices := self.ask("GET", "devices")["devices"]) < 10:
            pass
        self.devices = {device["name"]: device["identifier"] for device in devices}
        # Their characteristics, by identifier.
        self.connected = {}
        for name in ("Heart rate", "Lamp"):
            path = f"devices/{self.devices[name]}"
            self.ask("POST", f"{path}/connect")
            while not (services := self.ask("GET", path)["services"]):
                pass
            self.connected[self.devices[name]] = [one["uuid"] for service in services for one in service["characteristics"]]
        self.schema = schemathesis.openapi.from_url(f"{self.address}api/v1/openapi.json")

    @property
    def operations(self):
        """What ends links comes after what uses them; the air is last: in a time that stands still no device answers."""
        found = [one.ok() for one in self.schema.get_all_operations()]
        return sorted((one for one in found if one.path not in ENDLESS), key=lambda one: (
            one.path.startswith("/api/v1/radio"), one.path.endswith(("/disconnect", "/device-file"))))

    def answer(self, case):
        """Asks as a well-behaved client does: where it is too fast, it waits for as long as the server says."""
        while True:
            response = case.call(session=self.http, timeout=LONGEST)
            if response.status_code != 429:
                return response
            case.validate_response(response, checks=CHECKS)
            time.sleep(int(response.headers["retry-after"][0]))


@pytest.fixture(scope="module")
def demo():
    one = Demo()
    yield one
    # Links are closed in the air's time.
    one.ask("PUT", "radio", {"running": True, "speed": 1, "loss": 0})
    one.end()


@strategies.composite
def cases(draw, demo, operation):
    """A request that the description allows, or one that it forbids; often about a device and an attribute that exist."""
    often = strategies.sampled_from([True, True, True, False])
    mode = draw(strategies.sampled_from([GenerationMode.POSITIVE, GenerationMode.NEGATIVE]))
    case = draw(operation.as_strategy(generation_mode=mode))
    path, body = case.path_parameters or {}, case.body if isinstance(case.body, dict) else {}
    if "identifier" in path and draw(often):
        path["identifier"] = draw(strategies.sampled_from(sorted(demo.connected if draw(strategies.booleans()) else demo.devices.values())))
    if "name" in path and draw(strategies.booleans()):
        path["name"] = draw(strategies.sampled_from(sorted(demo.devices)))
    if mode == GenerationMode.POSITIVE and "characteristic" in body and draw(often):
        every = sum(demo.connected.values(), [])
        body["characteristic"] = draw(strategies.sampled_from(demo.connected.get(path.get("identifier"), every)))
        for other in ("service", "instance"):
            body.pop(other, None)
    if mode == GenerationMode.POSITIVE and "value" in body and draw(often):
        body["value"] = draw(strategies.binary(max_size=20)).hex()
        body.pop("format", None)
    return case


def test_no_request_makes_the_server_fail_and_all_answers_are_described(demo, subtests):
    seen = {}
    for operation in demo.operations:
        with subtests.test(operation.label):
            @seed(SEED)
            @settings(max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate],
                      suppress_health_check=list(HealthCheck))
            @given(cases(demo, operation))
            def holds(case):
                response = demo.answer(case)
                seen.setdefault(operation.label, {}).setdefault(response.status_code, 0)
                seen[operation.label][response.status_code] += 1
                case.validate_response(response, checks=CHECKS)
            try:
                holds()
            except BaseException:
                print(f"BLE_WEB_SEED={SEED} BLE_WEB_EXAMPLES={EXAMPLES} gives the same examples")
                raise
    for label, statuses in seen.items():
        print(label, dict(sorted(statuses.items())))
    assert demo.process.poll() is None
