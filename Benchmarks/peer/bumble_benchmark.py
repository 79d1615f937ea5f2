"""The benchmarks' work done by Bumble: whole stacks in one process, over its own controllers and link.

Makes ready the work that is named. Then each line that comes in is a round, and a JSON object goes out for it: `value`, in the unit of the
Swift side, and `requests` where these are counted. All times are CPU time of this process.
Usage: bumble_benchmark.py [--as-shipped] name
"""

import asyncio
import gc
import json
import sys
import time
import tracemalloc

# Leaving messages out leaves garbage behind in which devices would find room unseen.
if '--as-shipped' not in sys.argv and 'device_memory' not in sys.argv:
    import without_debug  # noqa: F401  (must come before Bumble)

from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address, HCI_LE_Extended_Advertising_Report_Event
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

# What modern controllers have; Bumble's own default is 27 octets.
ACL_OCTETS = 251
# Packets on their way at a time, so that neither side's queue grows without bound.
WINDOW = 32


def address(index):
    """A random static address."""
    return Address(f'F0:00:00:00:{index >> 8:02X}:{index & 0xFF:02X}')


async def make_device(link, index):
    controller = Controller(f'C{index}', link=link)
    controller.le_acl_data_packet_length = ACL_OCTETS
    device = Device(address=address(index), host=Host(controller, AsyncPipeSink(controller)))
    await device.power_on()
    return device


async def connect(central, peripheral):
    connected = asyncio.get_running_loop().create_future()
    peripheral.once('connection', connected.set_result)
    await peripheral.start_advertising(advertising_interval_min=20.0, advertising_interval_max=20.0)
    connection = await central.connect(peripheral.random_address)
    peer = Peer(connection)
    await peer.request_mtu(517)
    return peer, await connected


class Pair:
    """A central connected to a peripheral with one characteristic that can do everything."""

    @classmethod
    async def make(cls):
        self = cls()
        link = LocalLink()
        central = await make_device(link, 1)
        self.peripheral = await make_device(link, 2)
        self.written = 0
        self.notified = 0
        properties = Characteristic.Properties
        self.local = Characteristic(
            UUID('7B0F0001-0000-4C1E-8B6F-0123456789AB'),
            properties.READ | properties.WRITE_WITHOUT_RESPONSE | properties.NOTIFY,
            Characteristic.Permissions.READABLE | Characteristic.Permissions.WRITEABLE,
            CharacteristicValue(read=lambda connection: bytes(20), write=self._write),
        )
        self.peripheral.add_services([Service(UUID('7B0F0000-0000-4C1E-8B6F-0123456789AB'), [self.local])])
        self.peer, self.connection = await connect(central, self.peripheral)
        await self.peer.discover_services()
        for service in self.peer.services:
            await service.discover_characteristics()
        self.remote = next(
            characteristic
            for service in self.peer.services
            for characteristic in service.characteristics
            if characteristic.uuid == self.local.uuid
        )
        await self.remote.discover_descriptors()
        await self.remote.subscribe(self._notify)
        return self

    def _write(self, connection, value):
        self.written += 1

    def _notify(self, value):
        self.notified += 1


async def rounds(work):
    """What `await work()` says, each time a line comes in. Between rounds nothing runs: the other side has its turn."""
    for _ in sys.stdin:
        print(json.dumps(await work()), flush=True)


async def rate(operations, work):
    """Rounds of operations in a second of CPU time, each `await work(operations)`."""

    async def once():
        start = time.process_time()
        await work(operations)
        return {'value': operations / (time.process_time() - start)}

    await work(operations // 4)
    await rounds(once)


async def notify(octets):
    pair = await Pair.make()
    value = bytes(octets)

    async def work(count):
        goal = pair.notified + count
        while pair.notified < goal:
            for _ in range(min(WINDOW, goal - pair.notified)):
                await pair.peripheral.notify_subscriber(pair.connection, pair.local, value)
            reached = min(goal, pair.notified + WINDOW)
            while pair.notified < reached:
                await asyncio.sleep(0)

    await rate(3000, work)


async def write_without_response_512():
    pair = await Pair.make()
    value = bytes(512)

    async def work(count):
        goal = pair.written + count
        while pair.written < goal:
            reached = min(goal, pair.written + WINDOW)
            for _ in range(reached - pair.written):
                await pair.remote.write_value(value, with_response=False)
            while pair.written < reached:
                await asyncio.sleep(0)

    await rate(3000, work)


async def read_20():
    pair = await Pair.make()

    async def work(count):
        for _ in range(count):
            await pair.remote.read_value()

    await rate(3000, work)


async def discover_10x5():
    """Milliseconds, and the number of ATT requests."""
    link = LocalLink()
    central, peripheral = await make_device(link, 1), await make_device(link, 2)
    for service in range(10):
        peripheral.add_services(
            [
                Service(
                    UUID(f'7B0F{service:02X}00-0000-4C1E-8B6F-0123456789AB'),
                    [
                        Characteristic(
                            UUID(f'7B0F{service:02X}{number:02X}-0000-4C1E-8B6F-0123456789AB'),
                            Characteristic.Properties.READ | Characteristic.Properties.NOTIFY,
                            Characteristic.Permissions.READABLE,
                            b'',
                        )
                        for number in range(1, 6)
                    ],
                )
            ]
        )
    peer, _ = await connect(central, peripheral)
    client = peer.gatt_client
    requests = 0
    send_request = client.send_request

    async def counted(request):
        nonlocal requests
        requests += 1
        return await send_request(request)

    client.send_request = counted

    async def discover():
        client.services = []
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                await characteristic.discover_descriptors()
        assert sum(len(c.descriptors) for s in peer.services for c in s.characteristics) >= 50

    async def once():
        nonlocal requests
        requests = 0
        start = time.process_time()
        await discover()
        return {'value': (time.process_time() - start) * 1000, 'requests': requests}

    await discover()
    await rounds(once)


async def advertising_ingest():
    """Advertisements in a second of CPU time from 100 advertisers to the program of one scanner.

    Each advertiser is made to send by hand, so that none of Bumble's real-time timers is waited for or paid.
    """
    link = LocalLink()
    scanner = await make_device(link, 1)
    advertisers = [await make_device(link, 2 + index) for index in range(100)]
    sets = []
    for index, device in enumerate(advertisers):
        data = AdvertisingData(
            [
                (AdvertisingData.Type.FLAGS, bytes([0x06])),
                (AdvertisingData.Type.COMPLETE_LOCAL_NAME, f'device {index}'.encode()),
                (AdvertisingData.Type.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes([0x0F, 0x18])),
            ]
        )
        # Timers so slow that none fires while this is measured.
        await device.start_advertising(
            advertising_data=bytes(data), advertising_interval_min=10_000.0, advertising_interval_max=10_000.0
        )
        sets.append(next(iter(device.host.hci_sink.sink.advertising_sets.values())))
    heard = 0

    def advertisement(_):
        nonlocal heard
        heard += 1

    scanner.on('advertisement', advertisement)
    await scanner.start_scanning(active=False, filter_duplicates=False)
    await asyncio.sleep(0.2)

    async def work(count):
        nonlocal heard
        for _ in range(count // len(sets)):
            goal = heard + len(sets)
            for advertising_set in sets:
                advertising_set.send_extended_advertising_data()
            for _ in range(1000):
                if heard >= goal:
                    break
                await asyncio.sleep(0)

    await rate(2000, work)
    assert heard > 0


async def facade_ingest(count):
    """Reports of a controller in a second of CPU time, from `count` devices in turn, up to the program: no link in between.

    The scanner asks for each advertisement and keeps every device, as the other side's program does.
    """
    scanner = await make_device(LocalLink(), 1)
    controller = scanner.host.hci_sink.sink
    report = HCI_LE_Extended_Advertising_Report_Event.Report
    events = []
    for index in range(count):
        name = f'device {index}'.encode()
        advertiser = address(index)
        events.append(
            HCI_LE_Extended_Advertising_Report_Event(
                [
                    report(
                        event_type=0x13,
                        address_type=advertiser.address_type,
                        address=advertiser,
                        primary_phy=1,
                        secondary_phy=0,
                        advertising_sid=0xFF,
                        tx_power=127,
                        rssi=-60,
                        periodic_advertising_interval=0,
                        direct_address_type=0,
                        direct_address=Address.ANY,
                        data=bytes([2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18, len(name) + 1, 0x09]) + name,
                    )
                ]
            )
        )
    heard = 0
    kept = {}

    def advertisement(found):
        nonlocal heard
        heard += 1
        kept[found.address] = found.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME)

    scanner.on('advertisement', advertisement)
    await scanner.start_scanning(active=False, filter_duplicates=False)
    await asyncio.sleep(0.2)
    following = 0

    async def work(operations):
        nonlocal following
        goal = heard + operations
        left = operations
        while left:
            for _ in range(min(left, 1000)):
                controller.send_hci_packet(events[following])
                following = (following + 1) % count
            left -= min(left, 1000)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert heard == goal

    await work(count)
    assert len(kept) == count
    await rate(10_000, work)


async def device_memory():
    """KiB of the interpreter's heap for one more device: powered on, with one service, advertising. It can be asked for once."""
    count = 400
    link = LocalLink()
    kept = [await make_device(link, index) for index in range(1, 11)]

    async def once():
        gc.collect()
        tracemalloc.start()
        for index in range(count):
            device = await make_device(link, 11 + index)
            characteristic = Characteristic('FFF1', Characteristic.Properties.NOTIFY, 0, b'')
            device.add_services([Service('FFF0', [characteristic])])
            await device.start_advertising(advertising_interval_min=10_000.0, advertising_interval_max=10_000.0)
            kept.append(device)
        gc.collect()
        return {'value': tracemalloc.get_traced_memory()[0] / 1024 / count}

    await rounds(once)


async def simulated_hour_100_devices():
    """Seconds of CPU time for the 360,000 notifications of an hour, one a second on each of 100 connections.

    Bumble has no virtual time, so only the packets are paid and no timer. A part is measured and multiplied.
    """
    link = LocalLink()
    central = await make_device(link, 1)
    notified = 0

    def notify_one(_):
        nonlocal notified
        notified += 1

    links = []
    for index in range(100):
        peripheral = await make_device(link, 2 + index)
        characteristic = Characteristic('FFF1', Characteristic.Properties.NOTIFY, 0, b'')
        peripheral.add_services([Service('FFF0', [characteristic])])
        peer, connection = await connect(central, peripheral)
        await peer.discover_services()
        service = peer.get_services_by_uuid(UUID('FFF0'))[0]
        await service.discover_characteristics()
        remote = service.characteristics[0]
        await remote.discover_descriptors()
        await remote.subscribe(notify_one)
        links.append((peripheral, connection, characteristic))

    seconds = 10

    async def once():
        start = time.process_time()
        for second in range(seconds):
            goal = notified + len(links)
            for peripheral, connection, characteristic in links:
                await peripheral.notify_subscriber(connection, characteristic, f'send data : {second}'.encode())
            while notified < goal:
                await asyncio.sleep(0)
        return {'value': (time.process_time() - start) * 3600 / seconds}

    await once()
    await rounds(once)


WORK = {
    'notify_512': lambda: notify(512),
    'write_without_response_512': write_without_response_512,
    'notify_20': lambda: notify(20),
    'read_20': read_20,
    'discover_10x5': discover_10x5,
    'advertising_ingest': advertising_ingest,
    'facade_ingest_10': lambda: facade_ingest(10),
    'facade_ingest_10000': lambda: facade_ingest(10_000),
    'device_memory': device_memory,
    'simulated_hour_100_devices': simulated_hour_100_devices,
}


def main():
    (name,) = [word for word in sys.argv[1:] if not word.startswith('--')]
    asyncio.run(WORK[name]())


if __name__ == '__main__':
    main()
