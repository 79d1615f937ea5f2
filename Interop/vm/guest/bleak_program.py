#!/usr/bin/python3
"""What the benchmark measures of bleak: programs that do what `ble scan`, `ble connect` and `ble subscribe` do, each with a line for each
operation, as short as it can be.

    bleak_program.py scan | read NAME UUID COUNT | subscribe NAME UUID COUNT
"""

import asyncio
import sys

from bleak import BleakClient, BleakScanner
from bleak.args.bluez import BlueZScannerArgs


async def scan():
    def heard(device, advertisement):
        print(device.address, advertisement.rssi, advertisement.local_name, flush=True)

    # Every advertisement that the daemon tells of, as `ble scan --duplicates`.
    async with BleakScanner(heard, bluez=BlueZScannerArgs(filters={"DuplicateData": True})):
        await asyncio.Event().wait()


async def read(name, uuid, count):
    device = await BleakScanner.find_device_by_name(name, timeout=60)
    async with BleakClient(device) as client:
        for _ in range(count):
            print((await client.read_gatt_char(uuid)).hex(), flush=True)


async def subscribe(name, uuid, count):
    device = await BleakScanner.find_device_by_name(name, timeout=60)
    enough = asyncio.Event()
    received = 0

    def value(_, octets):
        nonlocal received
        received += 1
        if received <= count:
            print(octets.hex(), flush=True)
        if received == count:
            enough.set()

    async with BleakClient(device) as client:
        await client.start_notify(uuid, value)
        await enough.wait()


def main():
    verb, *words = sys.argv[1:]
    try:
        match verb, words:
            case "scan", []: asyncio.run(scan())
            case "read", [name, uuid, count]: asyncio.run(read(name, uuid, int(count)))
            case "subscribe", [name, uuid, count]: asyncio.run(subscribe(name, uuid, int(count)))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
