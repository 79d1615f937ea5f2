"""A host of Bumble on a controller behind a TCP port."""

import asyncio
import contextlib

from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.hci import Address
from bumble.transport import open_transport

from . import deadline

# Random static addresses: Bumble's link drops data for hosts on public ones.
CENTRAL_ADDRESS = 'F1:00:00:00:00:0C'
PERIPHERAL_ADDRESS = 'F2:00:00:00:00:0D'


@contextlib.asynccontextmanager
async def bumble_device(port, address, name):
    """A device of Bumble, powered on, whose controller listens on `port` of this machine."""
    transport = await deadline.within(
        deadline.STEP, f'a connection to port {port}', open_transport(f'tcp-client:127.0.0.1:{port}')
    )
    try:
        device = Device.from_config_with_hci(
            DeviceConfiguration(name=name, address=Address(address)), transport.source, transport.sink
        )
        await deadline.within(deadline.STEP, 'Bumble powered on', device.power_on())
        yield device
    finally:
        await transport.close()


class BumbleCentral:
    """The steps of a central, in the order in which they are taken."""

    def __init__(self, device):
        self.device = device
        self.connection = None
        self.peer = None

    async def find(self, name):
        """Scans until an advertiser of that name is heard; answers its address and what it says."""
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            local_name = advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME)
            if local_name == name and not found.done():
                found.set_result(advertisement)

        self.device.on('advertisement', heard)
        try:
            await self.device.start_scanning()
            advertisement = await deadline.within(deadline.STEP, f'an advertiser called {name}', found)
            await self.device.stop_scanning()
        finally:
            self.device.remove_listener('advertisement', heard)
        return advertisement

    async def connect(self, address):
        self.connection = await deadline.within(
            deadline.STEP, f'a connection to {address}', self.device.connect(address)
        )
        self.peer = Peer(self.connection)

    async def request_mtu(self, octets):
        return await deadline.within(deadline.STEP, 'the MTU exchange', self.peer.request_mtu(octets))

    async def discover(self):
        """Walks the whole tree; answers {service: {characteristic: [descriptors]}} as hexadecimal UUIDs."""
        await deadline.within(deadline.STEP, 'the services', self.peer.discover_services())
        for service in self.peer.services:
            await deadline.within(deadline.STEP, 'characteristics', service.discover_characteristics())
            for characteristic in service.characteristics:
                await deadline.within(deadline.STEP, 'descriptors', characteristic.discover_descriptors())
        return {
            short(service.uuid): {
                short(characteristic.uuid): [short(descriptor.type) for descriptor in characteristic.descriptors]
                for characteristic in service.characteristics
            }
            for service in self.peer.services
        }

    def characteristic(self, uuid):
        for service in self.peer.services:
            for characteristic in service.characteristics:
                if short(characteristic.uuid) == uuid:
                    return characteristic
        raise AssertionError(f'there is no characteristic {uuid}')

    async def read(self, attribute):
        return bytes(await deadline.within(deadline.STEP, 'a read', attribute.read_value()))

    async def write(self, attribute, value):
        await deadline.within(
            deadline.STEP, f'a write of {len(value)} octets', attribute.write_value(value, with_response=True)
        )

    async def write_command(self, attribute, value):
        await deadline.within(
            deadline.STEP, f'a write command of {len(value)} octets', attribute.write_value(value, with_response=False)
        )

    async def subscribe(self, characteristic, prefer_notify=True):
        """Subscribes; answers a queue of the values that come."""
        values = asyncio.Queue()
        await deadline.within(
            deadline.STEP, 'a subscription', characteristic.subscribe(values.put_nowait, prefer_notify=prefer_notify)
        )
        return values

    async def disconnect(self):
        await deadline.within(deadline.STEP, 'the disconnection', self.connection.disconnect())


class BumblePeripheral:
    """A peripheral after the pattern of `ble serve owenli`, with more to try: commands, indications, long values."""

    NAME = 'Foreigner'
    LONG_TEXT = ('Long value, read in parts. ' * 18).encode()[:480]

    def __init__(self, device):
        self.device = device
        self.written = []
        self.connection = None
        self.value = b'hello'
        self.ticking = None

        permissions = Characteristic.Permissions
        properties = Characteristic.Properties
        self.counter = Characteristic('FFF1', properties.NOTIFY, permissions.READABLE, b'')
        self.echo = Characteristic(
            'FFF2',
            properties.READ | properties.WRITE | properties.WRITE_WITHOUT_RESPONSE,
            permissions.READABLE | permissions.WRITEABLE,
            CharacteristicValue(read=self._read, write=self._write),
            [Descriptor('2901', permissions.READABLE, b'name')],
        )
        self.long = Characteristic('FFE1', properties.READ, permissions.READABLE, self.LONG_TEXT)
        self.confirmed = Characteristic('FFE2', properties.INDICATE, permissions.READABLE, b'')
        device.add_services(
            [Service('FFF0', [self.counter, self.echo]), Service('FFE0', [self.long, self.confirmed])]
        )
        device.on('connection', self._connected)

    def _connected(self, connection):
        self.connection = connection

    def _read(self, connection):
        return self.value

    def _write(self, connection, value):
        self.value = bytes(value)
        self.written.append(bytes(value))

    async def advertise(self):
        data = AdvertisingData(
            [
                (AdvertisingData.Type.FLAGS, bytes([0x06])),
                (AdvertisingData.Type.COMPLETE_LOCAL_NAME, self.NAME.encode()),
                (AdvertisingData.Type.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes([0xF0, 0xFF])),
            ]
        )
        await deadline.within(
            deadline.STEP,
            'advertising',
            self.device.start_advertising(
                auto_restart=True,
                advertising_data=bytes(data),
                advertising_interval_min=50,
                advertising_interval_max=50,
            ),
        )

    def start_ticking(self, interval=0.2):
        """Notifies the counter and indicates `confirmed` for as long as it is not stopped."""

        async def tick():
            number = 0
            while True:
                await asyncio.sleep(interval)
                number += 1
                await self.device.notify_subscribers(self.counter, f'send data : {number}'.encode())
                await self.device.indicate_subscribers(self.confirmed, f'confirm : {number}'.encode())

        self.ticking = asyncio.create_task(tick())

    def stop_ticking(self):
        self.ticking.cancel()


def short(uuid):
    """The UUID as hexadecimal digits, in its shortest form."""
    return uuid.to_hex_str('-').upper()
