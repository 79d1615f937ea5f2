"""Devices out of logs that Bumble's host has written: cloned by `ble clone`, served, and used by the same central again."""

import json

from bumble.snoop import BtSnooper

from peers.bumble_host import CENTRAL_ADDRESS, bumble_device
from peers.deadline import asynchronous
from peers.processes import Processes
from peers.steps import PROFILE, event, use_everything, walk_owenli
from test_bumble_host_on_our_controller import AIR, our_controller


class Silent:
    """In the place of the program that plays the clone, which tells of PDUs and not of values."""

    async def line(self, matches, what):
        pass


async def clone(processes, served, use, path):
    """The central uses what is served, and what is cloned of its log; answers what `ble clone` says of the clone."""
    port = await our_controller(processes)
    server = await processes.ble('original', 'serve', served, '--adapter', f'radio:{AIR}', '--json')
    await server.line(event('advertising'), 'advertising')
    log, file = path / 'central.btsnoop', path / 'clone.json'
    with open(log, 'wb') as output:
        async with bumble_device(port, CENTRAL_ADDRESS, 'central') as device:
            device.host.snooper = BtSnooper(output)
            await use(device, server)
    assert await server.interrupt() in (0, 130)

    maker = await processes.ble('clone', 'clone', str(log), '-o', str(file), '--json')
    assert await maker.finish() == 0, maker.tail()
    made = json.loads(maker.lines[-1])
    assert made['share'] >= 0.95, made
    played = await processes.ble('played', 'serve', str(file), '--adapter', f'radio:{AIR}', '--json')
    await played.line(event('advertising'), 'advertising')
    async with bumble_device(port, CENTRAL_ADDRESS, 'central') as device:
        await use(device, Silent())
    assert await played.interrupt() in (0, 130)
    return made


@asynchronous
async def test_owenli_is_cloned_of_bumbles_log(tmp_path):
    async with Processes(tmp_path) as processes:
        made = await clone(processes, 'owenli', lambda device, server: walk_owenli(device), tmp_path)
        assert made['streams'] == 1 and made['undiscovered'] == 0, made


@asynchronous
async def test_everything_is_cloned_of_bumbles_log(tmp_path):
    async with Processes(tmp_path) as processes:
        made = await clone(processes, str(PROFILE), use_everything, tmp_path)
        assert made['streams'] == 2, made
