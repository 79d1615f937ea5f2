import BLECapture
import BLECore
import BLEWire
import Testing

@Suite struct PcapTests {
  @Test(
    "I14.1 a pcap file is read, of either byte order and resolution, with each link type of HCI",
    arguments: [187, 201, 254] as [UInt32], [true, false])
  func aPcapFileIsRead(linkType: UInt32, isBigEndian: Bool) throws {
    for isNanoseconds in [true, false] {
      let octets = ForeignFiles.pcap(linkType: linkType, isBigEndian: isBigEndian, isNanoseconds: isNanoseconds)
      let reader = try ForeignFiles.reader(octets)
      #expect(reader is PcapReader)
      let packets = try Conversation.all(reader)
      #expect(packets.map(\.timestamp) == Conversation.captured.map(\.timestamp))
      // The conversation's frames begin with the host's flag in both directions, which is all that tells a direction in H4.
      if linkType != 187 { #expect(packets == Conversation.captured) }
    }
  }

  @Test("I14.1 each octet of a pcap record has its meaning")
  func eachOctetHasItsMeaning() throws {
    let header: [UInt8] = [0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 201, 0, 0, 0]
    let record: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 1, 0x03, 0x0C, 0]
    let packets = try Conversation.all(ForeignFiles.reader(header + record))
    #expect(packets.map(\.content) == [.hci(HCIPacket(HCIReset()), .received)])
    #expect(packets.map(\.timestamp.nanoseconds) == [1_000_000_002])
    #expect(packets.map(\.isCut) == [true])
  }

  @Test("I14.1 H4 without a direction takes it from the kind and from the boundary flag")
  func directionsOfH4() throws {
    // A command and an event; a frame to the controller in two pieces, one from it on the same link in two pieces.
    let packets: [[UInt8]] = [
      [1, 0x03, 0x0C, 0], [4, 0x10, 1, 0], [2, 0x40, 0x00, 1, 0, 9], [2, 0x40, 0x10, 1, 0, 9],
      [2, 0x40, 0x20, 1, 0, 9],
      [2, 0x40, 0x10, 1, 0, 9], [2, 0x41, 0x10, 1, 0, 9], [2, 0x40],
    ]
    let octets = packets.reduce(ForeignFiles.pcapHeader(linkType: 187)) { $0 + ForeignFiles.pcapRecord($1) }
    let directions = try Conversation.all(ForeignFiles.reader(octets)).map { packet -> CaptureDirection? in
      if case .hci(_, let direction) = packet.content { direction } else { nil }
    }
    #expect(directions == [.sent, .received, .sent, .sent, .received, .received, .sent, .sent])
  }

  @Test("I14.1 the Linux monitor's packets have their controller's number, and other opcodes are no HCI packets")
  func theMonitorHasControllers() throws {
    let records: [[UInt8]] = [[0, 1, 0, 2, 0x03, 0x0C, 0], [0, 2, 0, 0, 9], [0xFF, 0xFF, 0, 13], [0, 1]]
    let octets = records.reduce(ForeignFiles.pcapHeader(linkType: 254)) { $0 + ForeignFiles.pcapRecord($1) }
    let packets = try Conversation.all(ForeignFiles.reader(octets))
    #expect(packets.map(\.interface) == [1, 2, 65_535, 0])
    #expect(packets.first?.content == .hci(HCIPacket(HCIReset()), .sent))
    #expect(packets.last?.content == .other(linkType: 254, octets: [0, 1]))
  }

  @Test("I14.1 the Linux monitor in pcapng keeps the controllers of two interfaces apart")
  func theMonitorInPcapNG() throws {
    func packet(_ interface: UInt8, _ data: [UInt8]) -> [UInt8] {
      let head: [UInt8] = [0, 0, 0, 6, 0, 0, 0, 40, 0, 0, 0, interface]
      let rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 8]
      let end: [UInt8] = [0, 0, 0, 40]
      return head + rest + data + end
    }
    let interface: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 20, 0, 254, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20]
    let section: [UInt8] = [
      0x0A, 0x0D, 0x0D, 0x0A, 0, 0, 0, 28, 0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255,
      0, 0,
      0, 28,
    ]
    let event: [UInt8] = [0, 1, 0, 3, 0x10, 2, 7, 7]
    let blocks = [section, interface, interface, packet(0, event), packet(1, event)]
    let packets = try Conversation.all(ForeignFiles.reader(blocks.flatMap(\.self)))
    #expect(packets.map(\.interface) == [1, 65_537])
    #expect(packets.first?.content == .hci(HCIPacket(kind: .event, octets: [0x10, 2, 7, 7]), .received))
  }

  @Test("I14.1 a pcap file of something else is refused by its link type, one of another version by its version")
  func aFileOfSomethingElseIsRefused() {
    #expect {
      try ForeignFiles.reader(ForeignFiles.pcapHeader(linkType: 1))
    } throws: {
      let error = $0 as? CaptureError
      return error?.kind == .unknownFormat && error?.description.contains("link type 1,") == true
    }
    var octets = ForeignFiles.pcapHeader(linkType: 201)
    octets[5] = 3
    #expect { try ForeignFiles.reader(octets) } throws: { ($0 as? CaptureError)?.kind == .unknownFormat }
    #expect(throws: CaptureError.self) { try PcapReader(CaptureOctets(Conversation.btsnoop())) }
  }

  @Test("I14.1 a pcap record that contradicts itself is refused before it is read; the packets in front are delivered")
  func aContradictionIsRefused() throws {
    let good = ForeignFiles.pcapHeader(linkType: 201) + ForeignFiles.pcapRecord([0, 0, 0, 0, 1, 0x03, 0x0C, 0])
    let huge: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 0xFF, count: 8)
    let longer: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 4]
    let late: [UInt8] = [0, 0, 0, 0, 0x00, 0x0F, 0x42, 0x40, 0, 0, 0, 1, 0, 0, 0, 1]
    for bad in [huge, longer, late] {
      let reader = try ForeignFiles.reader(good + bad + Array(repeating: 0, count: 16))
      #expect(try reader.next() != nil)
      #expect { try reader.next() } throws: { ($0 as? CaptureError)?.kind == .malformed }
    }
    let cut = try ForeignFiles.reader(Array(good.dropLast()))
    #expect { try cut.next() } throws: { ($0 as? CaptureError)?.kind == .truncated }
  }
}
