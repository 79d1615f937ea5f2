import BLEAdapter
import BLECore
import BLEHost
import BLEWire
import Testing

@Suite struct AttributeDatabaseTests {
  private func attribute(_ handle: UInt16, end: UInt16? = nil) -> Attribute {
    Attribute(
      handle: AttributeHandle(handle), type: GATTType.primaryService, permissions: .readable,
      content: .value([0x0F, 0x18]), groupEnd: end.map { AttributeHandle($0) })
  }

  @Test("attributes are found at their handles, with gaps and up to the last")
  func attributesAreFoundAtTheirHandles() {
    let database = AttributeDatabase()
    let handles: [UInt16] = [3, 4, 5, 9, 0x100, 0xFFFE, 0xFFFF]
    #expect(database.place(handles.map { attribute($0) }))
    for handle in [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 0xFF, 0x100, 0x101, 0xFFFD, 0xFFFE, 0xFFFF] as [UInt16] {
      #expect((database[AttributeHandle(handle)] != nil) == handles.contains(handle), "\(handle)")
    }
    let range = database.attributes(from: AttributeHandle(4), through: AttributeHandle(0xFF))
    #expect(range.map(\.handle.rawValue) == [4, 5, 9])
    #expect(database.attributes(from: AttributeHandle(0xFFFF), through: .last).count == 1)
    #expect(database.attributes(from: AttributeHandle(9), through: AttributeHandle(4)).isEmpty)
    #expect(database.attributes(from: AttributeHandle(0), through: .last).count == handles.count)
  }

  @Test("attributes at used, descending or invalid handles cannot be placed")
  func attributesAtUsedDescendingOrInvalidHandlesCannotBePlaced() {
    let database = AttributeDatabase()
    #expect(!database.place([attribute(0)]))
    #expect(!database.place([attribute(5), attribute(5)]))
    #expect(database.place([attribute(5), attribute(8)]))
    #expect(!database.place([attribute(8)]))
    #expect(!database.place([attribute(4), attribute(6)]))
    #expect(database.place([attribute(6), attribute(7)]))
    #expect(database.all.map(\.handle.rawValue) == [5, 6, 7, 8])
  }

  @Test("I16.2 attributes stand in the order of their handles in small and large databases")
  func order() {
    let database = AttributeDatabase()
    // Every second pair, then from behind the pairs between them.
    for first in stride(from: UInt16(1), to: 400, by: 4) {
      #expect(database.place([attribute(first), attribute(first + 1)]))
    }
    for first in stride(from: UInt16(3), to: 400, by: 4).reversed() {
      #expect(database.place([attribute(first), attribute(first + 1)]))
    }
    #expect(database.all.map(\.handle.rawValue) == Array(1...400))
  }

  @Test("room is found behind the last service, else in a gap, else not at all")
  func roomIsFoundBehindTheLastService() {
    let database = AttributeDatabase()
    #expect(database.freeHandles(3)?.lowerBound == AttributeHandle(1))
    #expect(database.place([attribute(1, end: 0x20)]))
    #expect(database.freeHandles(3)?.lowerBound == AttributeHandle(0x21))
    #expect(database.place([attribute(0x30, end: 0xFFFF)]))
    #expect(database.freeHandles(15) == AttributeHandle(0x21)...AttributeHandle(0x2F))
    #expect(database.freeHandles(16) == nil)
    #expect(database.freeHandles(Int.max) == nil)
    database.remove(AttributeHandle(0x30) ... .last)
    #expect(database.freeHandles(65535) == nil)
    #expect(database.freeHandles(65535 - 0x20) == AttributeHandle(0x21) ... .last)
  }

  @Test("a service is published with the descriptors that its properties require")
  func aServiceIsPublishedWithTheDescriptorsThatItsProperties() {
    let database = AttributeDatabase()
    let characteristic = LocalCharacteristic(
      identifier: LocalCharacteristicIdentifier(rawValue: 7), uuid: BLEUUID(0x2A37), properties: 0xB2,
      permissions: LocalPermissions(read: SecurityDemand.none), value: [1],
      descriptors: [LocalDescriptor(uuid: GATTType.characteristicUserDescription, value: [65])])
    let service = LocalService(uuid: BLEUUID(0x180D), isPrimary: true, characteristics: [characteristic])
    let published = database.publish(service, application: TestApplication())
    #expect(published?.handles == AttributeHandle(1)...AttributeHandle(6))
    #expect(published?.values == [characteristic.identifier: AttributeHandle(3)])
    #expect(
      database.all.map(\.type) == [0x2800, 0x2803, 0x2A37, 0x2902, 0x2900, 0x2901].map { BLEUUID(UInt16($0)) })
    let second = database.publish(
      LocalService(uuid: BLEUUID(high: 1, low: 2), isPrimary: false, characteristics: []),
      including: [published].compactMap { $0 }, application: TestApplication())
    #expect(second?.handles == AttributeHandle(7)...AttributeHandle(8))
    if case .value(let value)? = database[AttributeHandle(8)]?.content { #expect(value == [1, 0, 6, 0, 0x0D, 0x18]) }
  }

  @Test("the hash changes with the structure and not with values")
  func theHashChangesWithTheStructureAndNotWithValues() {
    let database = AttributeDatabase()
    _ = database.publish(.example(1, characteristics: 2), application: TestApplication())
    database.place([
      Attribute(
        handle: AttributeHandle(0x50), type: GATTType.deviceName, permissions: .readable, content: .value([1]))
    ])
    let hash = database.databaseHash
    #expect(hash.count == 16)
    database.setValue([2], at: AttributeHandle(0x50))
    #expect(database.databaseHash == hash)
    let service = database.publish(.example(2, characteristics: 1), application: TestApplication())
    #expect(database.databaseHash != hash)
    if let service { database.remove(service.handles) }
    #expect(database.databaseHash == hash)
  }

  @Test("I11 the hash covers the handles and types of descriptors, and the value of the extended properties as well")
  func hashOfDescriptors() {
    func hash(_ descriptors: [(handle: UInt16, type: UInt16, value: [UInt8])]) -> [UInt8] {
      let database = AttributeDatabase()
      let added = descriptors.map {
        Attribute(
          handle: AttributeHandle($0.handle), type: BLEUUID($0.type), permissions: .readable, content: .value($0.value))
      }
      #expect(database.place([attribute(1, end: 9)] + added))
      return database.databaseHash
    }
    let described = hash([(4, 0x2901, [65])])
    #expect(described != hash([]))
    #expect(described == hash([(4, 0x2901, [66])]))
    #expect(described != hash([(5, 0x2901, [65])]))
    #expect(described == hash([(4, 0x2901, [65]), (6, 0x2906, [1])]))
    let types: [UInt16] = [0x2900, 0x2901, 0x2902, 0x2903, 0x2904, 0x2905]
    #expect(Set(types.map { hash([(4, $0, [65])]) }).count == types.count)
    #expect(hash([(4, 0x2900, [1, 0])]) != hash([(4, 0x2900, [2, 0])]))
  }

  @Test("a device name is truncated between characters")
  func aDeviceNameIsTruncatedBetweenCharacters() {
    let octets = GATTServer.nameOctets(String(repeating: "é", count: 200))
    #expect(octets.count == 248)
    #expect(String(validating: GATTServer.nameOctets(String(repeating: "ab€", count: 60)), as: UTF8.self) != nil)
  }

  @Test(
    "A12 the database hash of the specification's example is the printed one (Core, Vol 3 Part G Appendix B)")
  func specifiedHash() {
    let database = AttributeDatabase()
    // Handle, type, value; values that are not covered are ones that would change the hash.
    let example: [(UInt16, UInt16, String)] = [
      (0x0001, 0x2800, "0018"), (0x0002, 0x2803, "0a0300002a"), (0x0003, 0x2A00, "4142"),
      (0x0004, 0x2803, "020500012a"), (0x0005, 0x2A01, "0000"), (0x0006, 0x2800, "0118"),
      (0x0007, 0x2803, "200800052a"), (0x0008, 0x2A05, "ff"), (0x0009, 0x2902, "0200"),
      (0x000A, 0x2803, "0a0b00292b"), (0x000B, 0x2B29, "01"), (0x000C, 0x2803, "020d002a2b"), (0x000D, 0x2B2A, "00"),
      (0x000E, 0x2800, "0818"), (0x000F, 0x2802, "140016000f18"), (0x0010, 0x2803, "a21100182a"),
      (0x0011, 0x2A18, "07"), (0x0012, 0x2902, "0100"), (0x0013, 0x2900, "0000"), (0x0014, 0x2801, "0f18"),
      (0x0015, 0x2803, "021600192a"), (0x0016, 0x2A19, "64"),
    ]
    let attributes = example.map { handle, type, value in
      Attribute(
        handle: AttributeHandle(handle), type: BLEUUID(type), permissions: .readable,
        content: .value([UInt8](hexadecimal: value) ?? []))
    }
    #expect(database.place(attributes))
    #expect(Array(database.databaseHash.reversed()).hexadecimal == "f1ca2d48ecf58bac8a8830bbb9fba990")
  }
}
