"""Writes captures for the tests of pages: btsnoop files with H4, as Android writes them."""
import struct

EPOCH = 0x00DCDDB30F2F8000
SENT, RECEIVED = 0, 1
COMMAND, ACL, EVENT = 1, 2, 4
HANDLE = 0x0040
ADDRESS = bytes.fromhex("9A78563412C0")


class Capture:
    """A conversation that is made packet by packet, with the time in microseconds."""

    def __init__(self):
        self.records = [struct.pack(">8sII", b"btsnoop\0", 1, 1002)]
        self.time = 1_700_000_000_000_000
        self.count = 0

    def packet(self, kind, octets, direction, after=1_000):
        self.time += after
        data = bytes([kind]) + octets
        flags = direction | (0 if kind == ACL else 2)
        self.records.append(struct.pack(">IIIIQ", len(data), len(data), flags, 0, self.time + EPOCH) + data)
        self.count += 1

    def command(self, opcode, parameters=b"", after=1_000):
        self.packet(COMMAND, struct.pack("<HB", opcode, len(parameters)) + parameters, SENT, after)
        self.packet(EVENT, struct.pack("<BBBHB", 0x0E, 4, 1, opcode, 0), RECEIVED, 300)

    def event(self, code, parameters, after=1_000):
        self.packet(EVENT, bytes([code, len(parameters)]) + parameters, RECEIVED, after)

    def advertisement(self, name, after=1_000):
        data = bytes([2, 1, 6, len(name) + 1, 9]) + name
        self.event(0x3E, bytes([2, 1, 0, 1]) + ADDRESS + bytes([len(data)]) + data + bytes([0xC4]), after)

    def att(self, pdu, direction, after=1_000):
        frame = struct.pack("<HH", len(pdu), 4) + pdu
        flags = 0x2000 if direction == RECEIVED else 0x0000
        self.packet(ACL, struct.pack("<HH", HANDLE | flags, len(frame)) + frame, direction, after)

    def write(self, path):
        path.write_bytes(b"".join(self.records))
        return path


def conversation(count, name=b"Lamp"):
    """A scan, a connection, reads and notifications in bursts with quiet between them: `count` packets in all."""
    capture = Capture()
    capture.command(0x0C03)
    capture.command(0x1001)
    capture.command(0x200C, b"\x01\x00", after=5_000)
    for _ in range(4):
        capture.advertisement(name, after=30_000)
    capture.command(0x200C, b"\x00\x00")
    capture.packet(COMMAND, struct.pack("<HB", 0x200D, 25) + bytes(5) + b"\x01" + ADDRESS + bytes(13), SENT)
    capture.event(0x3E, bytes([1, 0]) + struct.pack("<HBB", HANDLE, 0, 1) + ADDRESS + bytes([24, 0, 0, 0, 72, 0, 0]), 40_000)
    capture.att(bytes([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28]), SENT, 2_000)
    capture.att(bytes([0x09, 7, 9, 0, 0x12, 0x0A, 0, 0x19, 0x2A]), RECEIVED, 15_000)
    number = 0
    while capture.count < count - 4:
        number += 1
        quiet = 2_300_000 if number % 40 == 0 else 7_500
        if number % 5 == 0 and capture.count < count - 6:
            capture.att(bytes([0x0A, 0x0A, 0]), SENT, quiet)
            capture.att(bytes([0x0B]) + number.to_bytes(4, "little"), RECEIVED, 15_000)
        else:
            capture.att(bytes([0x1B, 0x0A, 0]) + bytes((number * step) & 0xFF for step in range(1, 21)), RECEIVED, quiet)
    capture.att(bytes([0x0A, 0x33, 0]), SENT)
    capture.att(bytes([0x01, 0x0A, 0x33, 0, 0x01]), RECEIVED, 15_000)
    capture.packet(COMMAND, struct.pack("<HBHB", 0x0406, 3, HANDLE, 0x13), SENT, 60_000)
    capture.event(0x05, struct.pack("<BHB", 0, HANDLE, 0x16), 30_000)
    assert capture.count == count
    return capture
