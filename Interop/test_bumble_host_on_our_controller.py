"""Bumble's host on `ble controller`, by H4 over TCP, on one air with our own programs."""

import re

from peers.bumble_host import CENTRAL_ADDRESS, PERIPHERAL_ADDRESS, bumble_device
from peers.deadline import asynchronous
from peers.processes import Processes
from peers.steps import PROFILE, event, explore_and_use, use_everything, walk_owenli

AIR = 'interop'


async def our_controller(processes):
    """Starts `ble controller`; answers the port that the system gave it."""
    controller = await processes.ble(
        'controller', 'controller', '--listen', 'tcp-server:127.0.0.1:0', '--air', AIR, '--json')
    line = await controller.line(lambda line: re.search(r'127\.0\.0\.1:[1-9]', line), 'the port')
    return int(re.search(r'127\.0\.0\.1:(\d+)', line)[1])


@asynchronous
async def test_r3_13_bumble_central_walks_owenli(tmp_path):
    """R3.13: an explorer that is not ours walks and uses our peripheral."""
    async with Processes(tmp_path) as processes:
        port = await our_controller(processes)
        server = await processes.ble('owenli', 'serve', 'owenli', '--adapter', f'radio:{AIR}', '--json')
        await server.line(event('advertising'), 'advertising')
        async with bumble_device(port, CENTRAL_ADDRESS, 'central') as device:
            await walk_owenli(device)
        assert await server.interrupt() in (0, 130)


@asynchronous
async def test_bumble_central_uses_everything(tmp_path):
    async with Processes(tmp_path) as processes:
        port = await our_controller(processes)
        server = await processes.ble('everything', 'serve', str(PROFILE), '--adapter', f'radio:{AIR}', '--json')
        await server.line(event('advertising'), 'advertising')
        async with bumble_device(port, CENTRAL_ADDRESS, 'central') as device:
            await use_everything(device, server)


@asynchronous
async def test_our_central_uses_bumble_peripheral(tmp_path):
    async with Processes(tmp_path) as processes:
        port = await our_controller(processes)

        async def ble(name, *arguments):
            return await processes.ble(name, *arguments, '--adapter', f'radio:{AIR}')

        async with bumble_device(port, PERIPHERAL_ADDRESS, 'peripheral') as device:
            await explore_and_use(device, ble)
