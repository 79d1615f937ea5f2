import BLECapture
import BLECore
import BLEWire
import Testing

@Suite struct CaptureFileTests {
  @Test("btsnoop reads the packets that were written")
  func btsnoopReadsThePacketsThatWereWritten() throws {
    let octets = Conversation.btsnoop()
    #expect(octets.starts(with: Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]))
    let reader = try CaptureFiles.reader(CaptureOctets(octets))
    #expect(try Conversation.all(reader) == Conversation.captured)
  }

  @Test("pcapng reads the packets that were written, of several interfaces")
  func pcapngReadsThePacketsThatWereWritten() throws {
    let packets = try Conversation.all(CaptureFiles.reader(CaptureOctets(Conversation.pcapng())))
    #expect(packets.dropLast() == Conversation.captured[...])
    #expect(packets.last?.interface == 1)
    #expect(packets.last?.content == .air(Conversation.air))
  }

  @Test("the time of btsnoop is in microseconds since the year zero")
  func theTimeOfBtsnoopIsInMicrosecondsSinceTheYear() {
    let octets = Conversation.btsnoop()
    // 1 January 2000: 0x00E03AB44A676000 in every description of the format.
    #expect(Array(octets[32..<40]) == [0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x00])
  }

  @Test("a file of either format can be written and read")
  func aFileOfEitherFormatCanBeWrittenAndRead() throws {
    for name in ["a.btsnoop", "a.pcapng"] {
      let path = try TemporaryFolder.shared.path(name)
      let writer = try CaptureFiles.writer(path: path)
      for packet in Conversation.captured { writer.write(packet) }
      #expect(writer.packetCount == Conversation.captured.count)
      writer.flush()
      #expect(writer.failure == nil)
      #expect(try Conversation.all(CaptureFiles.reader(path: path)) == Conversation.captured)
    }
  }

  @Test("a file that cannot be opened is a clear error")
  func aFileThatCannotBeOpenedIsAClearError() {
    #expect(throws: CaptureError.self) { try CaptureFiles.reader(path: "/nowhere/at/all") }
    #expect(throws: CaptureError.self) { try CaptureFiles.writer(path: "/nowhere/at/all") }
    #expect(throws: CaptureError.self) { try CaptureFiles.reader(CaptureOctets([])) }
    #expect(throws: CaptureError.self) { try CaptureFiles.reader(CaptureOctets(Array("GIF89a".utf8))) }
  }

  @Test("a full disk ends the capture and not the program")
  func aFullDiskEndsTheCaptureAndNotTheProgram() throws {
    let writer = try CaptureFiles.writer(path: "/dev/full")
    for _ in 0..<4_000 { for packet in Conversation.captured { writer.write(packet) } }
    #expect(writer.failure?.kind == .file)
  }

  @Test(
    "X3 every truncation is a clear error or a shorter capture",
    arguments: [Conversation.btsnoop(), Conversation.pcapng()] + ForeignFiles.all)
  func everyTruncationIsAClearErrorOrAShorterCapture(octets: [UInt8]) throws {
    let whole = try Conversation.all(CaptureFiles.reader(CaptureOctets(octets)))
    for length in 0..<octets.count {
      var packets: [CapturedPacket] = []
      do {
        let reader = try CaptureFiles.reader(CaptureOctets(Array(octets.prefix(length))))
        while let packet = try reader.next() { packets.append(packet) }
      } catch {
        #expect(!error.description.isEmpty)
      }
      #expect(packets.count < whole.count && packets == Array(whole.prefix(packets.count)))
    }
  }

  @Test("X3 random changes do no harm", arguments: [Conversation.btsnoop(), Conversation.pcapng()] + ForeignFiles.all)
  func randomChangesDoNoHarm(octets: [UInt8]) {
    let seed: UInt64 = 0xCA
    let entropy = SeededEntropy(seed: seed)
    let dissector = Dissector()
    for _ in 0..<2_000 {
      var changed = octets
      for _ in 0..<entropy.uniform(1..<6) {
        changed[Int(entropy.uniform(0..<UInt64(octets.count)))] = UInt8(truncatingIfNeeded: entropy.next())
      }
      do {
        let reader = try CaptureFiles.reader(CaptureOctets(changed))
        while let packet = try reader.next() { _ = dissector.line(packet) }
      } catch {
        #expect(!error.description.isEmpty, "seed \(seed)")
      }
    }
  }

  @Test("X3 a record that claims four gigabytes is refused before it is read")
  func aRecordThatClaimsFourGigabytesIsRefused() throws {
    var octets = Conversation.btsnoop()
    octets.replaceSubrange(16..<24, with: Array(repeating: 0xFF, count: 8))
    let reader = try CaptureFiles.reader(CaptureOctets(octets))
    #expect { try reader.next() } throws: { ($0 as? CaptureError)?.kind == .malformed }
  }

  @Test("pcapng of the other byte order is read")
  func pcapngOfTheOtherByteOrderIsRead() throws {
    let octets: [UInt8] =
      [0x0A, 0x0D, 0x0D, 0x0A, 0, 0, 0, 28, 0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0]
      + [255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 28]
      + [0, 0, 0, 1, 0, 0, 0, 20, 0, 187, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20]
      + [0, 0, 0, 6, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, 4, 1, 3, 12, 0, 0, 0, 0, 36]
    let packets = try Conversation.all(CaptureFiles.reader(CaptureOctets(octets)))
    #expect(packets.map(\.content) == [.hci(HCIPacket(HCIReset()), .sent)])
    #expect(packets.map(\.timestamp.nanoseconds) == [5_000])
  }

  @Test("the check value of a PDU on the air is the link layer's")
  func theCheckValueOfAPDUOnTheAir() {
    let octets = Conversation.air.pdu
    let same = AirPacket(channelIndex: 38, accessAddress: 0x8E89_BED6, pdu: octets)
    #expect(same.crc == Conversation.air.crc)
    #expect(AirPacket(channelIndex: 38, accessAddress: 0x8E89_BED6, pdu: octets, crcInit: 1).crc != same.crc)
  }
}
