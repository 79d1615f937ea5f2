import BLECore
import BLEWire
import Testing

@Suite struct AdvertisingDataTests {
  @Test("structures are split in order")
  func structuresAreSplitInOrder() {
    let data = AdvertisingData([0x02, 0x01, 0x06, 0x01, 0x09, 0x03, 0x03, 0x0D, 0x18])
    #expect(
      Array(data) == [
        AdvertisingStructure(type: .flags, data: [6]), AdvertisingStructure(type: .completeLocalName, data: []),
        AdvertisingStructure(type: .complete16BitServiceUUIDs, data: [0x0D, 0x18]),
      ])
    #expect(data.ending == .complete)
  }

  @Test("X1 a length of zero ends the data")
  func aLengthOfZeroEndsTheData() {
    let data = AdvertisingData([0x02, 0x01, 0x06, 0x00, 0x02, 0x0A, 0x04])
    #expect(Array(data).count == 1)
    #expect(data.ending == .terminated(offset: 3))
    #expect(data.txPowerLevel == nil)
  }

  @Test(
    "X1 a structure that runs over the end does not count",
    arguments: [[0x01], [0xFF], [0x03, 0x01, 0x06], [0xFF, 0xFF]] as [[UInt8]])
  func aStructureThatRunsOverTheEndDoesNotCount(octets: [UInt8]) {
    let data = AdvertisingData([0x02, 0x0A, 0x04] + octets)
    #expect(Array(data).count == 1)
    #expect(data.ending == .malformed(offset: 3))
    #expect(data.txPowerLevel == 4)
  }

  @Test("X1 the first structure of a type wins, and the complete name over the shortened")
  func theFirstStructureOfATypeWins() {
    let data = AdvertisingData([0x02, 0x0A, 0x7B, 0x02, 0x0A, 0xEA, 0x02, 0x08, 0x41, 0x03, 0x09, 0x41, 0x42])
    #expect(data.txPowerLevel == 123)
    #expect(data.localName?.text == "AB")
    #expect(data.localName?.isComplete == true)
  }

  @Test(
    "X1 a name ends where it is no valid text",
    arguments: [
      ([0x41, 0x00, 0x42], "A"), ([0x41, 0xE4, 0xB8], "A"), ([0xFF], ""), ([0xE4, 0xB8, 0xAD], "中"),
      ([0xED, 0xA0, 0x80], ""),
    ] as [([UInt8], String)])
  func aNameEndsWhereItIsNoValidText(octets: [UInt8], text: String) {
    #expect(AdvertisedName(octets: octets[...], isComplete: true).text == text)
  }

  @Test("UUIDs of all widths are joined in order and equal across widths")
  func uuidsOfAllWidthsAreJoinedInOrderAndEqual() {
    let full = BLEUUID(0x180F)
    let data = AdvertisingData(
      [0x04, 0x03, 0x0D, 0x18, 0x0F] + [0x05, 0x05, 0x78, 0x56, 0x34, 0x12]
        + [0x11, 0x07, 0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x0F, 0x18, 0x00, 0x00])
    #expect(data.serviceUUIDs == [BLEUUID(0x180D), BLEUUID(medium: 0x1234_5678), full])
    #expect(data.serviceUUIDs.map(\.width) == [.short, .medium, .full])
    #expect(data.containsServiceUUID { $0 == full })
    #expect(!data.containsServiceUUID { $0 == BLEUUID(0x180A) })
  }

  @Test("X1 too short manufacturer and service data are ignored")
  func tooShortManufacturerAndServiceDataAreIgnored() {
    let data = AdvertisingData([0x02, 0xFF, 0x4C, 0x02, 0x16, 0x0F, 0x01, 0x0A, 0x02, 0x19, 0x01])
    #expect(data.manufacturerData.isEmpty)
    #expect(data.serviceData.isEmpty)
    #expect(data.txPowerLevel == nil)
    #expect(data.appearance == nil)
  }

  @Test("every example has the type it was read with")
  func everyExampleHasTheTypeItWasRead() {
    for field in AdvertisingField.examples {
      #expect(AdvertisingField(field.structure) == field)
    }
  }

  @Test("X1 random data never yields more than it holds")
  func randomDataNeverYieldsMoreThanItHolds() {
    let seed: UInt64 = 20
    let entropy = SeededEntropy(seed: seed)
    for _ in 0..<5_000 {
      let octets = entropy.octets(Int(entropy.uniform(0..<64)))
      let data = AdvertisingData(octets)
      #expect(data.reduce(0) { $0 + $1.data.count + 2 } <= octets.count, "seed \(seed): \(octets.hexadecimal)")
      _ = (data.flags, data.localName?.text, data.serviceUUIDs, data.solicitedServiceUUIDs, data.serviceData)
      _ = (data.manufacturerData, data.overflowArea, data.peripheralConnectionIntervalRange)
    }
  }
}

@Suite struct AdvertisingDataBuilderTests {
  @Test("a structure that does not fit changes nothing")
  func aStructureThatDoesNotFitChangesNothing() {
    var builder = AdvertisingDataBuilder()
    let data = ManufacturerData(companyIdentifier: 1, data: ArraySlice(repeating: 0, count: 27))
    let filled = builder.append(.manufacturerSpecificData(data))
    #expect(filled)
    #expect(builder.remaining == 0)
    let flags = builder.append(.flags([]))
    #expect(!flags)
    let name = builder.append(localName: "A")
    #expect(name == nil)
    #expect(builder.octets.count == 31)
  }

  @Test("a name is shortened between characters")
  func aNameIsShortenedBetweenCharacters() {
    var builder = AdvertisingDataBuilder(limit: 10)
    let name = builder.append(localName: "温度计123")
    #expect(name?.isComplete == false)
    #expect(name?.text == "温度")
    #expect(builder.octets == [7, 8] + Array("温度".utf8))
  }

  @Test("UUIDs that fit are listed, the others returned")
  func uuidsThatFitAreListed() {
    var builder = AdvertisingDataBuilder()
    let full = BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    let second = BLEUUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    let leftOut = builder.append(serviceUUIDs: [full, second, BLEUUID(0x180F)])
    #expect(leftOut == [second])
    #expect(
      Array(AdvertisingData(builder.octets)).map(\.type) == [.complete16BitServiceUUIDs, .incomplete128BitServiceUUIDs])
    #expect(AdvertisingData(builder.octets).serviceUUIDs == [BLEUUID(0x180F), full])
  }

  @Test("an advertisement has 28 octets for UUIDs and name, and the name moves where it does not fit")
  func anAdvertisementHas28OctetsForUUIDsAndName() {
    let full = BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    let fitting = ConnectableAdvertisement(localName: "My dear!", serviceUUIDs: [full])
    #expect(fitting.advertisingData.count == 31)
    #expect(fitting.scanResponseData.isEmpty)
    let moved = ConnectableAdvertisement(localName: "My dear!!", serviceUUIDs: [full])
    #expect(AdvertisingData(moved.advertisingData).localName == nil)
    #expect(AdvertisingData(moved.scanResponseData).localName?.text == "My dear!!")
  }

  @Test("UUIDs without room go to the overflow area, and the name keeps ten octets")
  func uuidsWithoutRoomGoToTheOverflowArea() throws {
    let uuids = (0..<3).map { BLEUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA00 + $0) }
    let advertisement = ConnectableAdvertisement(localName: "A very long name", serviceUUIDs: uuids)
    let response = AdvertisingData(advertisement.scanResponseData)
    #expect(AdvertisingData(advertisement.advertisingData).serviceUUIDs == [uuids[0]])
    let area = try #require(response.overflowArea)
    #expect(area.mayContain(uuids[1]) && area.mayContain(uuids[2]) && !area.mayContain(uuids[0]))
    #expect(advertisement.scanResponseData.count <= 31)
  }
}
