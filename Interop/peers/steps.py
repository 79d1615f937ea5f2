"""The whole conversation, once for each direction; the tests only say who is on whose controller."""

import json
import pathlib

from .bumble_host import BumbleCentral, BumblePeripheral
from .deadline import STEP, until, within

PROFILE = pathlib.Path(__file__).resolve().parent.parent / 'profiles' / 'everything.json'
LONG_TEXT = json.loads(PROFILE.read_text())['services'][1]['characteristics'][0]['value']['utf8'].encode()
# 450 octets of UTF-8: longer than what the smallest MTU carries, shorter than the longest attribute.
WRITTEN_TEXT = ('你好，世界' * 30).encode()


def event(name, **members):
    """Matches a line of JSON that tells `name` with these members."""

    def matches(line):
        if not line.startswith('{'):
            return False
        told = json.loads(line)
        return told.get('event') == name and all(told.get(key) == value for key, value in members.items())

    return matches


def written(text):
    """Matches a line of JSON that tells of `text` being written."""
    return lambda line: event('written')(line) and json.loads(line)['value']['utf8'] == text


async def walk_owenli(device):
    """Bumble's central finds `ble serve owenli`, walks it, and uses what there is."""
    central = BumbleCentral(device)
    advertisement = await central.find('Owenli')
    await central.connect(advertisement.address)
    tree = await central.discover()
    assert tree['FFF0'] == {'FFF1': ['2902'], 'FFF2': ['2901']}
    assert tree['FFE0'] == {'FFE1': []}
    named = central.characteristic('FFF2')
    assert await central.read(named.descriptors[0]) == b'name'
    assert await central.read(named) == b'Owenli'
    assert (await central.read(central.characteristic('FFE1'))).startswith(b'Hello')
    # A long write and a long read: the MTU is still the smallest.
    await central.write(named, WRITTEN_TEXT)
    assert await central.read(named) == WRITTEN_TEXT
    values = await central.subscribe(central.characteristic('FFF1'))
    first = await within(STEP, 'a notification', values.get())
    second = await within(STEP, 'another notification', values.get())
    assert first.startswith(b'send data : ') and second.startswith(b'send data : ') and first != second
    await central.disconnect()


async def use_everything(device, server):
    """Bumble's central uses `ble serve Interop/profiles/everything.json`, the process `server`."""
    central = BumbleCentral(device)
    advertisement = await central.find('Everything')
    await central.connect(advertisement.address)
    tree = await central.discover()
    assert tree['FFF0'] == {'FFF1': ['2902'], 'FFF2': ['2901']}
    assert tree['FFE0'] == {'FFE1': [], 'FFE2': ['2902']}
    echo = central.characteristic('FFF2')
    assert await central.read(echo) == b'hello'
    assert await central.read(central.characteristic('FFE1')) == LONG_TEXT
    await central.write(echo, b'short')
    assert await central.read(echo) == b'short'
    await central.write(echo, WRITTEN_TEXT)
    assert await central.read(echo) == WRITTEN_TEXT
    assert await central.request_mtu(517) == 517
    # The same again where one packet of the attribute protocol holds it.
    await central.write(echo, WRITTEN_TEXT[::-1])
    assert await central.read(echo) == WRITTEN_TEXT[::-1]
    assert await central.read(central.characteristic('FFE1')) == LONG_TEXT
    await central.write_command(echo, b'command')
    await server.line(written('command'), 'the command arrives')
    notified = await central.subscribe(central.characteristic('FFF1'))
    indicated = await central.subscribe(central.characteristic('FFE2'), prefer_notify=False)
    for _ in range(3):
        assert (await within(STEP, 'a notification', notified.get())).startswith(b'send data : ')
        assert (await within(STEP, 'an indication', indicated.get())).startswith(b'confirm : ')
    await central.disconnect()


async def explore_and_use(device, ble):
    """Our central's commands, one process each, use Bumble's peripheral; `ble(name, *arguments)` starts one."""
    peripheral = BumblePeripheral(device)
    await peripheral.advertise()
    target = BumblePeripheral.NAME

    async def succeed(name, *arguments):
        process = await ble(name, *arguments, '--json', '--timeout', str(STEP))
        code = await process.finish(2 * STEP)
        assert code == 0, f'{process} ended with {code}; {process.tail()}'
        return [json.loads(line) for line in process.lines]

    [tree] = await succeed('explore', 'explore', target)
    found = {
        service['uuid']: {
            characteristic['uuid']: [descriptor['uuid'] for descriptor in characteristic['descriptors']]
            for characteristic in service['characteristics']
        }
        for service in tree['services']
    }
    assert found['FFF0'] == {'FFF1': ['2902'], 'FFF2': ['2901']}
    assert found['FFE0'] == {'FFE1': [], 'FFE2': ['2902']}

    [answer] = await succeed('read', 'read', target, 'FFF2')
    assert answer['value']['utf8'] == 'hello'
    [answer] = await succeed('read-long', 'read', target, 'FFE1')
    assert answer['value']['utf8'].encode() == BumblePeripheral.LONG_TEXT
    await succeed('write', 'write', target, 'FFF2', 'short')
    assert peripheral.written[-1:] == [b'short']
    await succeed('write-long', 'write', target, 'FFF2', WRITTEN_TEXT.decode())
    assert peripheral.written[-1:] == [WRITTEN_TEXT]
    await succeed('write-command', 'write', target, 'FFF2', 'command', '--without-response')
    await until(lambda: peripheral.written[-1:] == [b'command'], 'the command arrives')

    peripheral.start_ticking()
    notified = await succeed('subscribe', 'subscribe', target, 'FFF1', '--count', '3')
    assert [value['value']['utf8'].startswith('send data : ') for value in notified] == [True] * 3
    confirmed = await succeed('subscribe-indications', 'subscribe', target, 'FFE2', '--count', '3')
    assert [value['value']['utf8'].startswith('confirm : ') for value in confirmed] == [True] * 3
    peripheral.stop_ticking()
    await until(lambda: not device.connections, 'Bumble sees the last link end')
