"""Pairing with Bumble, both roles, every method, Secure Connections and legacy; on our radio, which encrypts."""

import asyncio
import json

import pytest

from peers.bumble_host import CENTRAL_ADDRESS, PERIPHERAL_ADDRESS, BumbleCentral, bumble_device
from peers.deadline import STEP, asynchronous, until, within
from peers.methods import methods
from peers.pairing import PROFILE, SECRET, BumblePairing, ProtectedPeripheral
from peers.processes import Processes, Terminal
from peers.steps import event
from test_bumble_host_on_our_controller import AIR, our_controller

SHOWN = r'show ([0-9]{6})\? \[y/N\]'


def told(process, name):
    """All events of that name that a program has told so far."""
    return [json.loads(line) for line in process.lines if event(name)(line)]


async def answer(method, pairing, process, terminal, count):
    """What the users of both sides do in the `count`th pairing of `process`."""
    if method.name == 'passkey-of-ours':
        await until(lambda: len(told(process, 'passkey')) >= count, 'our side shows a passkey')
        pairing.delegate.passkey.put_nowait(told(process, 'passkey')[count - 1]['passkey'])
    elif method.name == 'comparison':
        shown = await terminal.answer(SHOWN, 'y')
        assert await within(STEP, "Bumble's number", pairing.delegate.compared.get()) == shown[1]


@pytest.mark.parametrize('method', methods(), ids=str)
@asynchronous
async def test_bumble_central_pairs_with_us(tmp_path, method):
    terminal = Terminal()
    async with Processes(tmp_path) as processes:
        port = await our_controller(processes)
        async with bumble_device(port, CENTRAL_ADDRESS, 'central') as device:
            pairing = BumblePairing(device, method, tmp_path)
            server = await processes.ble(
                'serve', 'serve', str(PROFILE), '--adapter', f'radio:{AIR}/lock', '--json', *pairing.options,
                terminal=terminal)
            await server.line(event('advertising'), 'advertising')
            for count in (1, 2):
                # Bumble pairs, and reads what only paired devices may read.
                central = BumbleCentral(device)
                await central.connect((await central.find('Protected')).address)
                users = answer(method, pairing, server, terminal, count)
                await within(STEP, 'the pairing', asyncio.gather(central.connection.pair(), users))
                await until(lambda: len(told(server, 'paired')) == count, 'our side is paired')
                assert told(server, 'paired')[-1]['method'] == method.word
                assert told(server, 'paired')[-1]['bonded']
                await read_secret(central)
                await central.disconnect()
                # It comes back: the keys that there are do.
                await central.connect((await central.find('Protected')).address)
                await within(STEP, 'encryption', central.connection.encrypt())
                await read_secret(central)
                await central.disconnect()
                assert len(told(server, 'paired')) == count and not told(server, 'pairing-failed')
                # It loses them. A device that authenticates may pair again; for others our side has to remove its keys as well.
                await pairing.forget()
                if not method.is_authenticated:
                    removed = await processes.ble('bonds', 'bonds', 'remove', '--all', device='serve')
                    assert await removed.finish() == 0
    terminal.close()


async def read_secret(central):
    await within(STEP, 'the service', central.peer.discover_service('FFF0'))
    for service in central.peer.services:
        await within(STEP, 'its characteristics', service.discover_characteristics())
    assert await central.read(central.characteristic('FFF3')) == SECRET


@pytest.mark.parametrize('method', methods(), ids=str)
@asynchronous
async def test_we_pair_with_bumble_peripheral(tmp_path, method):
    terminal = Terminal()
    async with Processes(tmp_path) as processes:
        port = await our_controller(processes)
        async with bumble_device(port, PERIPHERAL_ADDRESS, 'peripheral') as device:
            pairing = BumblePairing(device, method, tmp_path)
            peripheral = ProtectedPeripheral(device, method.is_authenticated)
            await peripheral.advertise()

            async def ble(name, *words, **options):
                return await processes.ble(
                    name, *words, '--adapter', f'radio:{AIR}/phone', '--json', device='phone', **options)

            async def read():
                process = await ble('read', 'read', peripheral.NAME, 'FFF3')
                return await process.finish(2 * STEP), process

            for count in (1, 2):
                pair = await ble(
                    f'pair-{count}', 'pair', peripheral.NAME, '--level', method.level, *pairing.options,
                    terminal=terminal)
                await answer(method, pairing, pair, terminal, 1)
                assert await pair.finish(2 * STEP) == 0, pair.tail()
                report = told(pair, 'paired')[-1]
                assert (report['method'], report['level']) == (method.word, method.level)
                assert report['secure_connections'] == method.is_secure and report['key_size'] == 16
                assert report['bonded'] and not report['earlier']
                await pairing.ended()
                # Another process of the same device: encrypted with the keys that there are.
                code, process = await read()
                assert code == 0 and json.loads(process.lines[-1])['value']['utf8'] == SECRET.decode(), process.tail()
                assert pairing.endings.empty()
                # Bumble loses them: our side is informed, removes its own, and pairs again.
                await pairing.forget()
                code, process = await read()
                assert code == 74 and 'Peer removed pairing information' in ' '.join(process.errors), process.tail()
                unpair = await ble('unpair', 'unpair', peripheral.NAME)
                assert await unpair.finish() == 0, unpair.tail()
    terminal.close()
