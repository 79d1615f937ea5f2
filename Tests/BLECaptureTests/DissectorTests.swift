import BLECapture
import BLECore
import BLEWire
import Testing

@Suite struct DissectorTests {
  private func lines(_ packets: [CapturedPacket]) -> [String] {
    let dissector = Dissector()
    return packets.map(dissector.line)
  }

  @Test("a conversation is described line by line, with names")
  func aConversationIsDescribedLineByLine() {
    let lines = lines(Conversation.captured)
    let expected = [
      "    0.000000 < HCI command HCI_Reset", "HCI_Command_Complete HCI_Reset status: Success",
      "ATT ATT_EXCHANGE_MTU_REQ client rx MTU: 517", "ATT ATT_EXCHANGE_MTU_RSP server rx MTU: 517",
      "attribute group type: 2800 (Primary Service)",
      "0x0001-0x0007 1800 (Generic Access), 0x0008-0x000B 180F (Battery)",
      "attribute type: 2803 (Characteristic)", "0x000A 2A19 (Battery Level) properties 0x12",
      "ATT_HANDLE_VALUE_NTF attribute handle: 0x000A, attribute value: 64 (Battery Level)",
      "error code: Read Not Permitted (0x02) (Battery Level)",
      "L2CAP_CONNECTION_PARAMETER_UPDATE_REQ id 1 interval min: 24, interval max: 40", "<redacted>",
    ]
    for (line, part) in zip(lines, expected) { #expect(line.contains(part), "\(line)") }
    #expect(lines.count == expected.count)
    #expect(!lines.joined().contains("a5a5"))
  }

  @Test("frames in pieces are reassembled, each direction by itself")
  func framesInPiecesAreReassembled() {
    let whole = Conversation.acl([0x0A, 0x05, 0x00])
    let payload = whole.octets.dropFirst(4)
    func piece(_ octets: ArraySlice<UInt8>, _ boundary: HCIACLPacket.Boundary) -> CapturedPacket.Content {
      .hci(
        HCIPacket(HCIACLPacket(connectionHandle: Conversation.handle, boundary: boundary, payload: octets)), .received)
    }
    let lines = lines(
      [
        piece(payload.prefix(5), .firstFlushable), .hci(whole, .sent), piece(payload.dropFirst(5), .continuing),
        piece([1, 2], .continuing), piece([1, 2], .firstFlushable),
      ].map { CapturedPacket(timestamp: .virtualOrigin, content: $0) })
    #expect(lines[0].contains("5 of 7 octets"))
    #expect(lines[1].contains("ATT_READ_REQ attribute handle: 0x0005"))
    #expect(lines[2].contains("ATT_READ_REQ attribute handle: 0x0005"))
    #expect(lines[3].contains("piece without a frame") && lines[4].contains("piece without a frame"))
  }

  @Test("X2 an advertising report shows names escaped, and its other contents")
  func anAdvertisingReportShowsNamesEscaped() {
    let name = Array("A\u{1B}[31m\u{202E}".utf8)
    let data = [UInt8(name.count + 1), 0x09] + name + [0x03, 0x03, 0x0F, 0x18, 0x05, 0xFF, 0x4C, 0x00, 0x10, 0x05]
    let report = LEAdvertisingReportEvent.Report(
      type: .connectable, address: HCIAddress(type: .random, value: 0xC012_3456_789A), data: data[...], rssi: -60)
    let packet = HCIPacket(LEAdvertisingReportEvent(reports: [report]))
    let line = lines([CapturedPacket(timestamp: .virtualOrigin, content: .hci(packet, .received))])[0]
    #expect(line.contains("-60 dBm") && line.contains("C0:12:34:56:78:9A"))
    #expect(line.contains("180F (Battery)") && line.contains("Apple, Inc. 1005"))
    #expect(!line.contains("\u{1B}") && !line.contains("\u{202E}"))
    #expect(line.contains("u{1b}"))
  }

  @Test("an answer is described with the name of the requested attribute")
  func anAnswerIsDescribedWithTheNameOfTheRequested() {
    let packets: [(HCIPacket, CaptureDirection)] = [
      (Conversation.acl([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x02, 0x29]), .sent),
      (Conversation.acl([0x09, 0x04, 0x09, 0x00, 0x00, 0x00]), .received),
      (Conversation.acl([0x0A, 0x09, 0x00]), .sent), (Conversation.acl([0x0B, 0x01, 0x00]), .received),
      (Conversation.acl([0x12, 0x09, 0x00, 0x01, 0x00]), .sent), (Conversation.acl([0x13]), .received),
      // The other side's attribute with the same handle is another one.
      (Conversation.acl([0x0A, 0x09, 0x00]), .received),
    ]
    let lines = lines(packets.map { CapturedPacket(timestamp: .virtualOrigin, content: .hci($0.0, $0.1)) })
    #expect(lines[3].hasSuffix("attribute value: 0100 (Client Characteristic Configuration)"))
    #expect(lines[5].hasSuffix("ATT_WRITE_RSP (Client Characteristic Configuration)"))
    #expect(lines[6].hasSuffix("attribute handle: 0x0009"))
  }

  @Test("values of HCI have their names")
  func valuesOfHCIHaveTheirNames() {
    let events: [HCIPacket] = [
      HCIPacket(
        NumberOfCompletedPacketsEvent(
          counts: HCICompletedPackets([.init(connectionHandle: Conversation.handle, count: 2)]))),
      HCIPacket(LEExtendedAdvertisingReportEvent.examples[0]), HCIPacket(LEConnectionCompleteEvent.examples[0]),
    ]
    let lines = lines(events.map { CapturedPacket(timestamp: .virtualOrigin, content: .hci($0, .received)) })
    #expect(lines[0].contains("counts: 2 of 0x0040"))
    #expect(!lines.joined().contains("raw value") && !lines.joined().contains("{octets"))
    #expect(lines[2].contains("role: central") || lines[2].contains("role: peripheral"), "\(lines[2])")
  }

  @Test("packets on the air are described")
  func packetsOnTheAirAreDescribed() {
    let lines = lines([
      CapturedPacket(timestamp: .virtualOrigin, content: .air(Conversation.air)),
      CapturedPacket(
        timestamp: .virtualOrigin,
        content: .air(
          AirPacket(channelIndex: 3, accessAddress: 0x1234_5678, pdu: [0x03, 0x02, 0x02, 0x13], crcInit: 7))),
      CapturedPacket(timestamp: .virtualOrigin, content: .other(linkType: 1, octets: [1, 2])),
    ])
    #expect(lines[0].contains("channel 38 -47 dBm"))
    #expect(lines[0].contains("C0:12:34:56:78:9A"), "\(lines[0])")
    #expect(lines[1].contains("LL_TERMINATE_IND"), "\(lines[1])")
    #expect(lines[2].contains("link type 1: 0102"))
  }

  @Test("malformed packets are described with the error and its place")
  func malformedPacketsAreDescribedWithTheErrorAndItsPlace() {
    let packets: [HCIPacket] = [
      HCIPacket(kind: .command, octets: [1]), HCIPacket(kind: .event, octets: [0x3E, 0]),
      HCIPacket(kind: .aclData, octets: [0x40, 0x00, 9, 0, 1]), Conversation.acl([0x0A, 1]),
      Conversation.acl([0x09, 1, 2]), Conversation.acl([0x12, 1], channel: 5), Conversation.acl([], channel: 6),
    ]
    let lines = lines(packets.map { CapturedPacket(timestamp: .virtualOrigin, content: .hci($0, .received)) })
    for line in lines { #expect(line.contains("malformed") && line.contains("offset"), "\(line)") }
  }

  @Test("every example of every packet has a line")
  func everyExampleOfEveryPacketHasALine() {
    let dissector = Dissector()
    for packet in PacketRegistry.all {
      for example in packet.examples() {
        for kind in HCIPacketKind.allCases {
          let content = CapturedPacket.Content.hci(HCIPacket(kind: kind, octets: example), .received)
          #expect(!dissector.line(CapturedPacket(timestamp: .virtualOrigin, content: content)).isEmpty)
        }
        for channel: UInt16 in 4...7 {
          let content = CapturedPacket.Content.hci(Conversation.acl(example, channel: channel), .sent)
          #expect(!dissector.line(CapturedPacket(timestamp: .virtualOrigin, content: content)).contains("\n"))
        }
      }
    }
  }
}
