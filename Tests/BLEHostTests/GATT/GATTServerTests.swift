import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

/// A server and a raw client that sends octets.
final class RawClient {
  let channel = RawChannel()
  let bearer: ATTBearer
  let link: GATTServerLink

  init(_ server: GATTServer, mtu: Int = 517, state: GATTClientState? = nil) {
    bearer = ATTBearer(loop: VirtualLoop(), channel: channel, receiveMTU: mtu)
    link = server.makeLink(on: bearer, state: state)
  }

  /// Sends a PDU and returns the answer, in hexadecimal.
  func ask(_ pdu: String) -> [String] {
    bearer.receive(([UInt8](hexadecimal: pdu) ?? [])[...])
    return channel.take().map(\.hexadecimal)
  }
}

/// A database at explicit handles: a service with values of many kinds.
private func makeServer() -> GATTServer {
  let server = GATTServer()
  let open = AttributePermissions(read: .open, write: .open)
  func value(_ handle: UInt16, _ type: UInt16, _ value: [UInt8], _ permissions: AttributePermissions) -> Attribute {
    Attribute(handle: AttributeHandle(handle), type: BLEUUID(type), permissions: permissions, content: .value(value))
  }
  server.database.place([
    Attribute(
      handle: AttributeHandle(0x10), type: GATTType.primaryService, permissions: .readable,
      content: .value([0x0F, 0x18]),
      groupEnd: AttributeHandle(0x2F)),
    value(0x11, 0x2803, [0x1A, 0x12, 0, 0x19, 0x2A], .readable),
    value(0x12, 0x2A19, [UInt8](0..<50), open),
    Attribute(
      handle: AttributeHandle(0x13), type: GATTType.clientCharacteristicConfiguration, permissions: open,
      content: .clientConfiguration(of: AttributeHandle(0x12), offers: .notification)),
    value(0x20, 0x2A00, [1, 2, 3], AttributePermissions(write: .open)),
    value(0x21, 0x2A01, [4, 5], .readable),
    value(0xFFFF, 0x2800, [0x0A, 0x18], .readable),
  ])
  return server
}

@Suite struct GATTServerTests {
  @Test("A14 I11 a client's subscriptions are restored in the same database only, Service Changed excepted")
  func restoring() throws {
    let server = makeServer()
    server.addGenericServices(name: "server")
    let value = AttributeHandle(0x12)
    let changed = try #require(server.serviceChanged)
    let hash = server.database.databaseHash
    func restored(_ databaseHash: [UInt8]) -> GATTServerLink {
      let state = GATTClientState(
        configurations: [value: .notification, changed: .indication], knownHash: hash, databaseHash: databaseHash)
      return RawClient(server, state: state).link
    }
    let same = restored(hash)
    #expect(same.configuration(of: value) == .notification && same.configuration(of: changed) == .indication)
    let other = restored([UInt8](repeating: 7, count: 16))
    #expect(other.configuration(of: value) == [] && other.configuration(of: changed) == .indication)
  }

  @Test(
    "I13.1 an indication that waits for its turn is not sent once its service is removed, or its client has unsubscribed",
    arguments: [true, false])
  func waitingIndications(isRemoved: Bool) throws {
    let server = GATTServer()
    let service = try #require(
      server.publish(.example(1, characteristics: 2, properties: 0x20), application: TestApplication()))
    let client = RawClient(server)
    let values = service.values.values.sorted()
    func text(_ handle: AttributeHandle) -> String {
      [UInt8(truncatingIfNeeded: handle.rawValue), UInt8(truncatingIfNeeded: handle.rawValue >> 8)].hexadecimal
    }
    let configurations = values.map { AttributeHandle($0.rawValue + 1) }
    for handle in configurations { #expect(client.ask("12\(text(handle))0200") == ["13"]) }
    var results: [String] = []
    func indicate(_ index: Int, _ octet: UInt8) {
      #expect(client.link.indicate(values[index], [octet]) { results.append("\(octet) \($0)") })
    }
    indicate(0, 1)
    indicate(0, 2)
    indicate(1, 3)
    #expect(client.channel.take().map(\.hexadecimal) == ["1d\(text(values[0]))01"])
    if isRemoved {
      server.remove(service)
      #expect(results == ["2 false", "3 false"])
    } else {
      #expect(client.ask("12\(text(configurations[0]))0000") == ["13"])
      #expect(results == ["2 false"])
    }
    #expect(client.ask("1e") == (isRemoved ? [] : ["1d\(text(values[1]))03"]))
    #expect(client.ask("1e") == [])
    #expect(results == (isRemoved ? ["2 false", "3 false", "1 true"] : ["2 false", "1 true", "3 true"]))
  }

  @Test("A10 invalid offsets and ranges get the errors of the specification")
  func invalidOffsetsAndRangesGetTheErrorsOfTheSpecification() {
    let client = RawClient(makeServer())
    // A blob behind the value's end, at its end, of no attribute.
    #expect(client.ask("0c12003300") == ["010c120007"])
    #expect(client.ask("0c12003200") == ["0d"])
    #expect(client.ask("0c00000000") == ["010c000001"])
    // Ranges from 0, reversed, empty.
    for opcode in ["04", "06", "08", "10"] {
      let tail = ["04": "", "06": "00280f18", "08": "0028", "10": "0028"][opcode] ?? ""
      #expect(client.ask(opcode + "0000ffff" + tail) == ["01" + opcode + "000001"])
      #expect(client.ask(opcode + "20001000" + tail) == ["01" + opcode + "200001"])
      #expect(client.ask(opcode + "30004000" + tail) == ["01" + opcode + "30000a"])
    }
    // Groups by a type that is no grouping type, of 16 and of 128 bits.
    #expect(client.ask("100100ffff0328") == ["0110010010"])
    #expect(client.ask("100100ffff" + String(repeating: "ab", count: 16)) == ["0110010010"])
    // A type whose 128-bit spelling has 16 bits finds the same.
    #expect(client.ask("080100ffff" + "fb349b5f8000008000100000012a0000") == ["09042100" + "0405"])
    // One handle is not several, and an odd number of octets is invalid.
    #expect(client.ask("0e1200") == ["010e000004"])
    #expect(client.ask("0e120021") == ["010e000004"])
    #expect(client.ask("201200") == ["0120000004"])
    // Execute with an undefined flag.
    #expect(client.ask("1802") == ["0118000004"])
  }

  @Test("groups report the end of their service, whether or not there is an attribute")
  func groupsReportTheEndOfTheirService() {
    let client = RawClient(makeServer())
    #expect(client.ask("100100ffff0028") == ["110610002f000f18ffffffff0a18"])
    #expect(client.ask("060100ffff00280f18") == ["0710002f00"])
    #expect(client.ask("060100ffff0028" + "fb349b5f80000080001000000a180000") == ["07ffffffff"])
  }

  @Test("values are truncated to the MTU, lists end where the next entry does not fit")
  func valuesAreTruncatedToTheMTU() {
    let client = RawClient(makeServer())
    #expect(client.ask("0a1200") == ["0b" + [UInt8](0..<22).hexadecimal])
    #expect(client.ask("0c12001600") == ["0d" + [UInt8](22..<44).hexadecimal])
    #expect(client.ask("080100ffff192a") == ["09151200" + [UInt8](0..<19).hexadecimal])
    #expect(client.ask("0e21001200") == ["0f0405" + [UInt8](0..<20).hexadecimal])
    #expect(client.ask("2021001200") == ["210200" + "0405" + "3200" + [UInt8](0..<16).hexadecimal])
    #expect(client.ask("041000ffff") == ["05011000002811000328" + "1200192a130002292000002a"])
  }

  @Test("A3 a queue is limited, kept for each client, and ends with it")
  func aQueueIsLimited() {
    let server = makeServer()
    let client = RawClient(server)
    let other = RawClient(server)
    #expect(other.ask("1612000000aabb") == ["1712000000aabb"])
    var accepted = 0
    while client.ask("161200000001") == ["171200000001"] { accepted += 1 }
    #expect(accepted == 128)
    #expect(client.ask("161200000001") == ["0116120009"])
    // Cancelled, and there is room again.
    #expect(client.ask("1800") == ["19"])
    #expect(client.ask("161200000001") == ["171200000001"])
    client.link.close()
    #expect(other.ask("1801") == ["19"])
    #expect(other.ask("0a1200") == ["0baabb"])
  }

  @Test("A3 octets of a queue are limited too")
  func octetsOfAQueueAreLimitedToo() {
    let client = RawClient(makeServer())
    client.bearer.assumeMTU(517)
    let part = "16120000" + "00" + String(repeating: "55", count: 512)
    for _ in 0..<8 { #expect(client.ask(part).first?.hasPrefix("17") == true) }
    #expect(client.ask(part) == ["0116120009"])
  }

  @Test("A3 parts that leave a gap or pass 512 octets fail when they are executed, and nothing is written")
  func partsThatLeaveAGapOrPass512OctetsFail() {
    let client = RawClient(makeServer())
    #expect(client.ask("161200330001") == ["171200330001"])
    #expect(client.ask("1801") == ["0118120007"])
    #expect(client.ask("161200ffff03") == ["171200ffff03"])
    #expect(client.ask("1801") == ["0118120007"])
    client.bearer.assumeMTU(517)
    #expect(client.ask("1612000000" + String(repeating: "77", count: 500)).count == 1)
    #expect(client.ask("161200f401" + String(repeating: "77", count: 13)).count == 1)
    #expect(client.ask("1801") == ["011812000d"])
    #expect(client.ask("0a1200") == ["0b" + [UInt8](0..<50).hexadecimal])
    // The error dropped the queue.
    #expect(client.ask("1801") == ["19"])
  }

  @Test("A5 a client configuration accepts two octets with the bits that the characteristic offers")
  func aClientConfigurationAcceptsTwoOctetsWithTheBits() {
    let client = RawClient(makeServer())
    for count in 0...64 where count != 2 && count <= 20 {
      #expect(client.ask("121300" + String(repeating: "01", count: count)) == ["011213000d"])
    }
    #expect(client.ask("1213000200") == ["0112130013"])
    #expect(client.ask("1213000080") == ["0112130013"])
    #expect(client.ask("0a1300") == ["0b0000"])
    #expect(client.ask("1213000100") == ["13"])
    #expect(client.ask("0a1300") == ["0b0100"])
    #expect(client.link.update(AttributeHandle(0x12), [9]))
    #expect(client.channel.take().map(\.hexadecimal) == ["1b120009"])
    #expect(client.ask("1213000000") == ["13"])
    #expect(!client.link.update(AttributeHandle(0x12), [9]))
  }

  @Test("A5 client features of any length are accepted, and cannot be cleared")
  func clientFeaturesOfAnyLengthAreAccepted() {
    let server = GATTServer()
    server.addGenericServices(name: "Device")
    let client = RawClient(server)
    client.bearer.assumeMTU(517)
    #expect(client.ask("080100ffff292b") == ["09030b0000"])
    #expect(client.ask("120b00") == ["01120b000d"])
    for count in 1...64 {
      #expect(client.ask("120b00" + "05" + String(repeating: "ff", count: count - 1)) == ["13"])
    }
    #expect(client.ask("0a0b00") == ["0b05"])
    #expect(client.ask("120b0001") == ["01120b0013"])
    #expect(client.ask("120b0000") == ["01120b0013"])
    #expect(client.ask("120b00ff") == ["13"])
    #expect(client.ask("0a0b00") == ["0b05"])
  }

  @Test("A14 one client's configuration is not visible to another, nor to its own next connection")
  func oneClientsConfigurationIsNotVisible() {
    let server = makeServer()
    let client = RawClient(server)
    let other = RawClient(server)
    #expect(client.ask("1213000100") == ["13"])
    #expect(other.ask("0a1300") == ["0b0000"])
    #expect(!other.link.update(AttributeHandle(0x12), [9]))
    let state = client.link.state
    client.link.close()
    #expect(RawClient(server).ask("0a1300") == ["0b0000"])
    // Except with keys.
    #expect(RawClient(server, state: state).ask("0a1300") == ["0b0100"])
  }

  @Test("unknown requests are refused, unknown commands ignored")
  func unknownRequestsAreRefused() {
    let client = RawClient(makeServer())
    #expect(client.ask("3f") == ["013f000006"])
    #expect(client.ask("ff00") == [])
    #expect(client.ask("40") == [])
    #expect(client.ask("521200aa") == [])
    #expect(client.ask("0a1200") == ["0baa"])
    // A signed write where the signature cannot be verified.
    #expect(client.ask("d21200bb" + String(repeating: "00", count: 12)) == [])
    #expect(client.ask("0a1200") == ["0baa"])
  }

  @Test("the program is asked, in order, whichever kind of access a client uses")
  func theProgramIsAsked() {
    let server = GATTServer()
    let application = TestApplication()
    application.server = server
    application.values = [0x100: [UInt8](0..<30), 0x101: [7]]
    let reliable = LocalDescriptor(uuid: GATTType.characteristicExtendedProperties, value: [1, 0])
    _ = server.publish(
      .example(1, characteristics: 2, properties: 0x8E, descriptors: [reliable]), application: application)
    let client = RawClient(server)
    // 1 service, 2 and 3 a characteristic, 4 its extended properties, 5 and 6 the other one.
    #expect(client.ask("0a0300") == ["0b" + [UInt8](0..<22).hexadecimal])
    #expect(client.ask("0c03001600") == ["0d" + [UInt8](22..<30).hexadecimal])
    #expect(client.ask("0c03001f00") == ["010c030007"])
    #expect(client.ask("0e06000300") == ["0f07" + [UInt8](0..<21).hexadecimal])
    #expect(client.ask("2006000600") == ["2101000701" + "0007"])
    #expect(client.ask("120600aabb") == ["13"])
    #expect(client.ask("5206000102") == [])
    #expect(application.writes.map(\.needsResponse) == [true, false])
    #expect(client.ask("160300000001") == ["160300000001".replacingPrefix("17")])
    #expect(client.ask("1606000000ee") == ["1706000000ee"])
    #expect(client.ask("1603000100ff") == ["1703000100ff"])
    #expect(client.ask("1801") == ["19"])
    #expect(application.writes.last?.parts.map(\.offset) == [0, 0, 1])
    #expect(application.values == [0x100: [1, 0xFF], 0x101: [0xEE]])
    application.writeError = ATTErrorCode(0x80)
    #expect(client.ask("120600aabb") == ["0112060080"])
    #expect(client.ask("1606000000ee") == ["1706000000ee"])
    #expect(client.ask("1801") == ["0118060080"])
  }

  @Test("a reliable write of a characteristic that does not offer it is refused, a long write is accepted")
  func aReliableWriteOfACharacteristicThatDoesNotOffer() {
    let server = GATTServer()
    let application = TestApplication()
    application.server = server
    _ = server.publish(.example(1, characteristics: 2, properties: 0x0E), application: application)
    let client = RawClient(server)
    #expect(client.ask("1603000000aabb") == ["1703000000aabb"])
    #expect(client.ask("1603000200cc") == ["1703000200cc"])
    #expect(client.ask("1801") == ["19"])
    #expect(application.values == [0x100: [0xAA, 0xBB, 0xCC]])
    for second in ["05000000dd", "03000000dd"] {
      #expect(client.ask("1603000000aa") == ["1703000000aa"])
      #expect(client.ask("16" + second) == ["17" + second])
      #expect(client.ask("1801") == ["0118030006"])
    }
    #expect(application.writes.count == 1)
  }

  @Test("a program that answers after the link has ended, or twice, does no harm")
  func aProgramThatAnswersAfterTheLinkHasEnded() {
    let server = GATTServer()
    let application = TestApplication()
    application.server = server
    application.answersAtOnce = false
    _ = server.publish(.example(1, characteristics: 1), application: application)
    let client = RawClient(server)
    #expect(client.ask("0a0300") == [])
    #expect(client.ask("1204000100") == [])
    client.link.close()
    client.bearer.close()
    application.answer(application.reads[0])
    application.answer(application.reads[0])
    #expect(client.channel.sent.isEmpty)
  }

  @Test("the program is notified of subscriptions and of their end")
  func theProgramIsNotifiedOfSubscriptionsAndOfTheirEnd() {
    let server = GATTServer()
    let application = TestApplication()
    application.server = server
    _ = server.publish(.example(1, characteristics: 2), application: application)
    let client = RawClient(server)
    #expect(client.ask("1204000100") == ["13"])
    #expect(client.ask("1204000100") == ["13"])
    #expect(client.ask("1207000100") == ["13"])
    #expect(client.ask("1204000000") == ["13"])
    client.link.close()
    #expect(application.subscriptions.map(\.tag) == [0x100, 0x101, 0x100, 0x101])
    #expect(application.subscriptions.map(\.configuration) == [.notification, .notification, [], []])
  }

  @Test("I13.3 an indication is done when it is confirmed or the link ends, whichever notifications are sent meanwhile")
  func anIndicationIsDoneWhenItIsConfirmed() {
    let server = GATTServer()
    let application = TestApplication()
    _ = server.publish(.example(1, characteristics: 1, properties: 0x20), application: application)
    _ = server.publish(.example(2, characteristics: 1, properties: 0x10), application: application)
    let client = RawClient(server)
    #expect(client.ask("1204000200") == ["13"] && client.ask("1208000100") == ["13"])
    let (indicated, notified) = (AttributeHandle(3), AttributeHandle(7))
    var done: [String] = []
    #expect(client.link.update(indicated, [1]) { done.append("first indication") })
    #expect(client.link.update(notified, [2]) { done.append("first notification") })
    #expect(client.link.update(indicated, [3]) { done.append("second indication") })
    #expect(client.link.update(notified, [4]) { done.append("second notification") })
    #expect(client.channel.take().map(\.hexadecimal) == ["1d030001", "1b070002", "1b070004"])
    client.channel.handOver()
    #expect(done == ["first notification", "second notification"])
    #expect(client.ask("1e") == ["1d030003"])
    #expect(done.dropFirst(2) == ["first indication"])
    client.link.close()
    client.bearer.close()
    #expect(done.dropFirst(3) == ["second indication"])
  }

  @Test("several values go in one notification to a client that supports it")
  func severalValuesGoInOneNotificationToAClient() {
    let server = makeServer()
    server.database.place([
      Attribute(
        handle: AttributeHandle(0x40), type: GATTType.clientSupportedFeatures,
        permissions: AttributePermissions(read: .open, write: .open), content: .server(.clientSupportedFeatures))
    ])
    let client = RawClient(server)
    #expect(client.ask("1213000100") == ["13"])
    let handle = AttributeHandle(0x12)
    client.link.update([(handle, [1]), (handle, [2, 3])])
    #expect(client.channel.take().map(\.hexadecimal) == ["1b120001", "1b12000203"])
    #expect(client.ask("12400004") == ["13"])
    client.link.update([(handle, [1]), (handle, [2, 3]), (handle, [UInt8](repeating: 9, count: 20)[...])])
    #expect(
      client.channel.take().map(\.hexadecimal) == [
        "2312000100" + "01" + "12000200" + "0203", "1b1200" + String(repeating: "09", count: 20),
      ])
  }
}

extension String {
  /// The text with other characters in place of its first ones.
  func replacingPrefix(_ prefix: String) -> String { prefix + dropFirst(prefix.count) }
}
