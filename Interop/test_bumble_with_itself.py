"""Bumble's host on Bumble's controller, both ways: the foreign peers are known good before ours join."""

from peers.bumble_host import CENTRAL_ADDRESS, PERIPHERAL_ADDRESS, BumbleCentral, BumblePeripheral, bumble_device
from peers.deadline import STEP, asynchronous, until, within
from peers.processes import Processes


@asynchronous
async def test_a_central_walks_and_uses_a_peripheral(tmp_path):
    async with Processes(tmp_path) as processes:
        central_port, peripheral_port = await processes.bumble_controllers()
        async with (
            bumble_device(peripheral_port, PERIPHERAL_ADDRESS, 'peripheral') as peripheral_device,
            bumble_device(central_port, CENTRAL_ADDRESS, 'central') as central_device,
        ):
            peripheral = BumblePeripheral(peripheral_device)
            await peripheral.advertise()
            peripheral.start_ticking()
            central = BumbleCentral(central_device)

            advertisement = await central.find(BumblePeripheral.NAME)
            await central.connect(advertisement.address)
            # The smallest MTU, so that long values are long.
            tree = await central.discover()
            assert tree['FFF0'] == {'FFF1': ['2902'], 'FFF2': ['2901']}
            assert tree['FFE0'] == {'FFE1': [], 'FFE2': ['2902']}

            echo = central.characteristic('FFF2')
            assert await central.read(echo) == b'hello'
            assert await central.read(central.characteristic('FFE1')) == BumblePeripheral.LONG_TEXT
            await central.write(echo, b'short')
            text = ('你好，世界 ' * 30).encode()[:450]
            await central.write(echo, text)
            assert await central.read(echo) == text
            assert await central.request_mtu(517) == 517
            await central.write_command(echo, b'command')
            await until(lambda: peripheral.written[-1:] == [b'command'], 'the command arrives')

            notified = await central.subscribe(central.characteristic('FFF1'))
            indicated = await central.subscribe(central.characteristic('FFE2'), prefer_notify=False)
            for _ in range(2):
                assert (await within(STEP, 'a notification', notified.get())).startswith(b'send data : ')
                assert (await within(STEP, 'an indication', indicated.get())).startswith(b'confirm : ')

            peripheral.stop_ticking()
            await central.disconnect()
            await until(lambda: not peripheral_device.connections, 'the peripheral sees the end')
