import BLECore
import BLEWire
import Testing

@Suite("HCI packets")
struct HCIPacketTests {
  @Test("opcodes and event codes are each declared once")
  func uniqueCodes() {
    for list in [HCIRegistry.commands, HCIRegistry.events] {
      #expect(Set(list.map(\.code)).count == list.count)
      #expect(Set(list.map(\.name)).count == list.count)
    }
  }

  @Test("an event's length field decides, whatever its value")
  func eventLengths() throws {
    let whole = HCIPacket(DisconnectionCompleteEvent.examples[0]).octets
    for length in UInt8.min...UInt8.max {
      var octets = whole
      octets[1] = length
      if length == whole[1] {
        #expect(try HCIEvent(HCIEventPacket(octets)) == .disconnectionComplete(.examples[0]))
      } else {
        #expect(throws: DecodeError.self) { try HCIEventPacket(octets) }
      }
    }
    #expect(throws: DecodeError.self) { try HCIEventPacket([0x3E, 0x00]) }
    #expect(throws: DecodeError.self) { try HCIEventPacket([]) }
  }

  @Test("an undeclared event is a value")
  func unknownEvents() throws {
    let vendor = try HCIEventPacket([0xFF, 0x02, 0xAA, 0xBB])
    #expect(vendor.code == HCIEventCode(0xFF))
    #expect(try HCIEvent(vendor) == .unknown(vendor))
    let subevent = try HCIEventPacket([0x3E, 0x02, 0xEE, 0xBB])
    #expect(subevent.code == .lowEnergy(0xEE))
    #expect(subevent.parameters == [0xBB])
    #expect(try HCIEvent(subevent) == .unknown(subevent))
  }

  @Test(
    "H2: any number of reports with a body too short for it is refused",
    arguments: [
      HCIPacket(LEAdvertisingReportEvent.examples[2]), HCIPacket(LEExtendedAdvertisingReportEvent.examples[2]),
    ])
  func reportCounts(_ packet: HCIPacket) throws {
    for count in UInt8.min...UInt8.max where count != 2 {
      var octets = packet.octets
      octets[3] = count
      #expect(throws: DecodeError.self) { try HCIEvent(HCIEventPacket(octets)) }
    }
  }

  @Test("H2: a report's data length beyond the body is refused")
  func reportLengths() throws {
    let packet = HCIPacket(LEAdvertisingReportEvent.examples[1])
    for length in UInt8.min...UInt8.max where length != 3 {
      var octets = packet.octets
      octets[12] = length
      #expect(throws: DecodeError.self) { try HCIEvent(HCIEventPacket(octets)) }
    }
  }

  @Test("a command's header tells opcode and length")
  func commandHeader() throws {
    let packet = HCIPacket(LESetScanEnable(isEnabled: true, filtersDuplicates: false))
    #expect(packet.kind == .command)
    #expect(packet.octets == [0x0C, 0x20, 0x02, 0x01, 0x00])
    let command = try HCICommandPacket(packet.octets)
    #expect(command.opcode == LESetScanEnable.opcode)
    #expect("\(command.opcode)" == "HCI_LE_Set_Scan_Enable")
    #expect(try command.decode(LESetScanEnable.self).isEnabled)
    #expect(throws: DecodeError.self) { try HCICommandPacket(packet.octets + [0]) }
    #expect(throws: DecodeError.self) { try HCICommandPacket(Array(packet.octets.dropLast())) }
  }

  @Test("the header of ACL data has twelve bits of handle and the flags above")
  func aclHeader() throws {
    let packet = HCIPacket(
      HCIACLPacket(connectionHandle: ConnectionHandle(0x0ABC), boundary: .continuing, payload: [1, 2, 3]))
    #expect(packet.octets == [0xBC, 0x1A, 0x03, 0x00, 1, 2, 3])
    let read = try HCIACLPacket(packet.octets)
    #expect(read.connectionHandle == ConnectionHandle(0x0ABC))
    #expect(read.boundary == .continuing)
    #expect(read.payload == [1, 2, 3])
    for count in 0..<packet.octets.count {
      #expect(throws: DecodeError.self) { try HCIACLPacket(Array(packet.octets.prefix(count))) }
    }
    #expect(throws: DecodeError.self) { try HCIACLPacket(packet.octets + [0]) }
  }

  @Test("the fast form of the completed packets of one link gives the same octets")
  func completedPackets() {
    let handle = ConnectionHandle(0x0ABC)
    let counts = HCICompletedPackets([.init(connectionHandle: handle, count: 0x0102)])
    #expect(
      HCIPacket.numberOfCompletedPackets(0x0102, of: handle) == HCIPacket(NumberOfCompletedPacketsEvent(counts: counts))
    )
  }

  @Test("legacy advertising data is padded to 31 octets, and a longer length is refused")
  func legacyData() throws {
    let octets = LESetAdvertisingData(data: [0x02, 0x01, 0x06]).octets
    #expect(octets.count == 32)
    var wrong = octets
    wrong[0] = 32
    var reader = ByteReader(wrong, layer: "test")
    #expect(throws: DecodeError.self) { try LESetAdvertisingData(from: &reader) }
  }

  @Test("supported commands find the bit of a command")
  func supportedCommands() {
    let commands = HCISupportedCommands([HCIReset.opcode, LESetExtendedScanEnable.opcode])
    #expect(commands.contains(HCIReset.self))
    #expect(commands.contains(LESetExtendedScanEnable.self))
    #expect(!commands.contains(LESetScanEnable.self))
    #expect(commands.octets[5] == 0x80)
    #expect(commands.octets[37] == 0x40)
    #expect(commands.opcodes == [HCIReset.opcode, LESetExtendedScanEnable.opcode])
  }

  @Test("a path compensation is signed")
  func pathCompensation() throws {
    var reader = ByteReader([0xF6, 0xFF, 0x0A, 0x00], layer: "test")
    let command = try LEWriteRFPathCompensation(from: &reader)
    #expect(PacketText.of(command) == "transmit: -10, receive: 10")
    #expect(command.octets == [0xF6, 0xFF, 0x0A, 0x00])
  }

  @Test("keys are not printed")
  func secrets() {
    let reply = LELongTermKeyRequestReply(
      connectionHandle: ConnectionHandle(0x0040), key: HCISecret([UInt8](repeating: 0x5A, count: 16)))
    #expect("\(reply)".contains("<redacted>"))
    #expect(!"\(reply)".contains("90"))
  }

  @Test("times are rounded to the nearest step and stay within their field")
  func times() {
    #expect(ConnectionInterval(nearest: .milliseconds(30)).rawValue == 24)
    #expect(ConnectionInterval(nearest: .seconds(1_000)).rawValue == 0xFFFF)
    #expect(ConnectionInterval(nearest: .seconds(-1)).rawValue == 0)
    #expect(ConnectionInterval(rawValue: 24).duration == .milliseconds(30))
  }
}
