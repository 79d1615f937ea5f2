import BLECapture
import BLECore
import BLEWire
import Testing

@Suite struct PacketLoggerTests {
  @Test("I14.1 a file of Apple's PacketLogger is read, in both byte orders", arguments: [true, false])
  func aFileOfPacketLoggerIsRead(isBigEndian: Bool) throws {
    let reader = try ForeignFiles.reader(ForeignFiles.packetLogger(isBigEndian: isBigEndian))
    #expect(reader is PacketLoggerReader)
    #expect(try Conversation.all(reader) == Conversation.captured)
  }

  @Test("I14.1 each octet of a PacketLogger record has its meaning")
  func eachOctetHasItsMeaning() throws {
    // Length 12, 2 s and 3 µs, type 0 (command), HCI_Reset.
    let octets: [UInt8] = [0, 0, 0, 12, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0x03, 0x0C, 0]
    let packets = try Conversation.all(ForeignFiles.reader(octets))
    #expect(packets.map(\.content) == [.hci(HCIPacket(HCIReset()), .sent)])
    #expect(packets.map(\.timestamp.nanoseconds) == [2_000_003_000])
  }

  @Test("I14.1 what the system says in a PacketLogger file is skipped, also a type that is not known")
  func textsAreSkipped() throws {
    let reset = ForeignFiles.packetLoggerRecord(0, [0x03, 0x0C, 0])
    let untyped: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]
    let records: [[UInt8]] = [
      ForeignFiles.packetLoggerRecord(0xFE, []), ForeignFiles.packetLoggerRecord(0xF7, Array("kernel".utf8)), reset,
      untyped, ForeignFiles.packetLoggerRecord(0x0B, [1, 2]), reset, ForeignFiles.packetLoggerRecord(0x77, [1]),
    ]
    #expect(try Conversation.all(ForeignFiles.reader(records.flatMap(\.self))).count == 2)
  }

  @Test("I14.1 a PacketLogger file that is cut delivers what was before, then says where it ends")
  func aCutFileSaysWhere() throws {
    let whole = ForeignFiles.packetLoggerRecord(0, [0x03, 0x0C, 0])
    let reader = try ForeignFiles.reader(whole + whole.dropLast(2))
    #expect(try reader.next() != nil)
    #expect {
      try reader.next()
    } throws: {
      let error = $0 as? CaptureError
      return error?.kind == .truncated && error?.description.contains("at offset 28, 4 octets expected, 2 left") == true
    }
  }

  @Test("I14.1 a PacketLogger record that contradicts itself is refused before it is read")
  func aContradictionIsRefused() throws {
    let good = ForeignFiles.packetLoggerRecord(0, [0x03, 0x0C, 0])
    let zeros: [UInt8] = Array(repeating: 0, count: 8)
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF] + zeros
    let short: [UInt8] = [0, 0, 0, 7] + zeros
    let late: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 0, 0x00, 0x0F, 0x42, 0x40]
    for bad in [huge, short, late] {
      let reader = try ForeignFiles.reader(good + bad + zeros)
      #expect(try reader.next() != nil)
      #expect { try reader.next() } throws: { ($0 as? CaptureError)?.kind == .malformed }
    }
  }

  @Test("I14.1 a file is taken for one of PacketLogger only if its first record is one")
  func otherFilesAreNotTaken() {
    let record = ForeignFiles.packetLoggerRecord(0, [0x03, 0x0C, 0])
    let unknownType: [UInt8] = Array(record.prefix(12)) + [0x20, 0, 0]
    let long: [UInt8] = [0, 1] + Array(record.dropFirst(2))
    let late: [UInt8] = Array(record.prefix(8)) + [0x00, 0x0F, 0x42, 0x40] + Array(record.dropFirst(12))
    let zeros = [UInt8](repeating: 0, count: 64)
    for octets in [unknownType, long, late, zeros, Array(record.prefix(12))] {
      #expect { try ForeignFiles.reader(octets) } throws: { ($0 as? CaptureError)?.kind == .unknownFormat }
      #expect(throws: CaptureError.self) { try PacketLoggerReader(CaptureOctets(octets)) }
    }
  }
}
