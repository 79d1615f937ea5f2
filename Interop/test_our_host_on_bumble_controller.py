"""Our host on Bumble's controller, by H4 over TCP, with Bumble's host on another controller of the same link."""

from peers.bumble_host import CENTRAL_ADDRESS, PERIPHERAL_ADDRESS, bumble_device
from peers.deadline import asynchronous
from peers.processes import Processes
from peers.steps import PROFILE, event, explore_and_use, use_everything, walk_owenli


@asynchronous
async def test_r3_13_bumble_central_walks_owenli(tmp_path):
    """R3.13: an explorer that is not ours walks and uses our peripheral."""
    async with Processes(tmp_path) as processes:
        ours, theirs = await processes.bumble_controllers()
        server = await processes.ble('owenli', 'serve', 'owenli', '--adapter', f'tcp-client:127.0.0.1:{ours}', '--json')
        await server.line(event('advertising'), 'advertising')
        async with bumble_device(theirs, CENTRAL_ADDRESS, 'central') as device:
            await walk_owenli(device)
        assert await server.interrupt() in (0, 130)


@asynchronous
async def test_bumble_central_uses_everything(tmp_path):
    async with Processes(tmp_path) as processes:
        ours, theirs = await processes.bumble_controllers()
        server = await processes.ble(
            'everything', 'serve', str(PROFILE), '--adapter', f'tcp-client:127.0.0.1:{ours}', '--json')
        await server.line(event('advertising'), 'advertising')
        async with bumble_device(theirs, CENTRAL_ADDRESS, 'central') as device:
            await use_everything(device, server)


@asynchronous
async def test_our_central_uses_bumble_peripheral(tmp_path):
    async with Processes(tmp_path) as processes:
        # A controller for each command: Bumble's forget nothing at HCI_Reset, so each is good for one host.
        theirs, *ours = await processes.bumble_controllers(9)

        async def ble(name, *arguments):
            return await processes.ble(name, *arguments, '--adapter', f'tcp-client:127.0.0.1:{ours.pop()}')

        async with bumble_device(theirs, PERIPHERAL_ADDRESS, 'peripheral') as device:
            await explore_and_use(device, ble)
