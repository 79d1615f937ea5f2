import BLEAdapter
import BLECore
import BLECrypto
import BLEHost
import BLEVirtualRadio
import BLEWire
import Testing

@Suite struct ScanningTests {
  @Test("an advertiser is found with name, services and connectability")
  func anAdvertiserIsFoundWithNameServicesAndConnectability() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    let found = central.discoveries[0]
    #expect(found.name == "My dear")
    #expect(found.address == toy.address)
    #expect(found.content.localName == "My dear")
    #expect(found.content.serviceUUIDs == [Chat.service])
    #expect(found.content.isConnectable)
    #expect(found.rssi < 0)
    #expect(phone.stack.knownPeers([found.peer]).map(\.name) == ["My dear"])
  }

  @Test("S13 I11 an address that the keys of two bonds resolve belongs to neither", arguments: [1, 2])
  func sharedResolvingKey(bonds: Int) async throws {
    let world = StackWorld()
    let store = MemoryBondStore()
    let key = SecretKey(AESBlock(high: 5, low: 6))
    let phoneAddress = DeviceAddress(0x00AA_0000_0001, kind: .public)
    let identities = (1...2).map { DeviceAddress(0xC000_0000_0000 | $0, kind: .random) }
    _ = store.open(phoneAddress, newKey: SecretKey(AESBlock(high: 1, low: 1)))
    for identity in identities.prefix(bonds) {
      let longTermKey = LongTermKey(key: SecretKey(AESBlock(high: 7, low: identity.value)))
      let keys = PairingResult(
        security: PairingSecurity(method: .justWorks, isSecureConnections: true, keySize: 16), isBonded: true,
        peerIdentity: identity, keyAsCentral: longTermKey, keyAsPeripheral: longTermKey, peerIdentityResolvingKey: key)
      try store.keep(try #require(Bond(keys)), of: phoneAddress)
    }
    let phone = world.makeDevice(
      1, configuration: ControllerConfiguration(quirks: .noResolvingList), bondStore: store)
    let shown = IdentityResolver(irk: key).makeAddress(SeededEntropy(seed: 3))
    _ = try await world.makeChat(on: world.makeDevice(2, options: HostOptions(randomAddress: shown)))
    let central = try await world.makeCentral(on: phone)
    #expect(phone.address == phoneAddress && phone.stack.bonds.count == bonds)
    try await world.find(central)
    #expect(central.discoveries.first?.address == (bonds == 1 ? identities[0] : shown))
  }

  @Test("without duplicates a device is reported once until its data changes", arguments: [true, false])
  func withoutDuplicatesADeviceIsToldOnceUntilItSaysSomethingElse(hasExtended: Bool) async throws {
    let world = StackWorld()
    let configuration =
      hasExtended ? ControllerConfiguration() : ControllerConfiguration(quirks: .noExtendedAdvertising)
    let phone = world.makeDevice(1, configuration: configuration)
    let toy = world.makeDevice(2, configuration: configuration)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    #expect(phone.stack.supportsExtendedAdvertising == hasExtended)
    await world.advance(.seconds(5))
    #expect(central.discoveries.count == 1)
    await world.perform {
      peripheral.role.stopAdvertising()
      peripheral.advertise("Other", [Chat.service])
    }
    await world.advance(.seconds(5))
    #expect(central.discoveries.map(\.content.localName) == ["My dear", "Other"])
    #expect(central.discoveries[0].peer == central.discoveries[1].peer)
    // The same content is the same object.
    await world.perform { central.role.startScan(ScanParameters(allowsDuplicates: true)) }
    await world.advance(.seconds(2))
    let again = central.discoveries.dropFirst(2)
    #expect(again.count > 10)
    #expect(again.allSatisfy { $0.content === again.first?.content })
  }

  @Test("restarting a scan reports all devices again")
  func startingAScanAnewTellsEverythingAgain() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    for round in 1...3 {
      await world.perform { central.role.startScan(ScanParameters()) }
      await world.advance(.seconds(2))
      #expect(central.discoveries.count == round)
    }
    await world.perform { central.role.stopScan() }
    await world.advance(.seconds(2))
    #expect(central.discoveries.count == 3)
  }

  @Test("each role has its own filter")
  func eachRoleHasItsOwnFilter() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let first = world.makeDevice(2)
    let second = world.makeDevice(3)
    _ = try await world.makeChat(on: first, name: "chat")
    let other = try await world.makePeripheral(on: second)
    await world.perform { other.advertise("other", [BLEUUID(0x180D)]) }
    let all = phone.makeCentral()
    let chats = phone.makeCentral()
    let hearts = try await world.makeCentral(on: phone)
    await world.perform {
      all.role.startScan(ScanParameters())
      chats.role.startScan(ScanParameters(services: [Chat.service, BLEUUID(0x1234)]))
      // Another form of 180D.
      hearts.role.startScan(ScanParameters(services: [BLEUUID("0000180D-0000-1000-8000-00805F9B34FB")!]))
    }
    await world.advance(.seconds(3))
    #expect(Set(all.discoveries.map(\.name)) == ["chat", "other"])
    #expect(chats.discoveries.map(\.name) == ["chat"])
    #expect(hearts.discoveries.map(\.name) == ["other"])
    await world.perform { all.role.stopScan() }
    await world.perform { chats.role.startScan(ScanParameters(services: [BLEUUID(0x180D)])) }
    await world.advance(.seconds(3))
    #expect(chats.discoveries.map(\.name) == ["chat", "other"])
    #expect(all.discoveries.count == 2)
  }

  @Test("services without room are found in the overflow area")
  func servicesBeyondTheRoomAreFoundInTheOverflowArea() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let services = (0..<4).map { BLEUUID(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_0000 + $0 * 7) }
    let peripheral = try await world.makePeripheral(on: toy)
    await world.perform { peripheral.advertise("A name that is far too long for it", services) }
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.startScan(ScanParameters(services: [services[3]])) }
    try await world.wait { !central.discoveries.isEmpty }
    let found = central.discoveries[0].content
    #expect(found.serviceUUIDs == [services[0]])
    #expect(found.overflowServiceUUIDs == [services[3]])
    #expect(found.manufacturerData == nil)
    #expect(found.localName == "A name t")
    // A scan without a filter finds nothing hidden.
    await world.perform { central.role.startScan(ScanParameters()) }
    try await world.wait { central.discoveries.count > 1 }
    #expect(central.discoveries[1].content.overflowServiceUUIDs.isEmpty)
  }

  @Test("a scan started in a discovery event gets reports")
  func aScanStartedInADiscoveryEventIsHeard() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    central.onDiscovery = { _ in
      if central.discoveries.count < 4 { central.role.startScan(ScanParameters()) } else { central.role.stopScan() }
    }
    await world.perform { central.role.startScan(ScanParameters()) }
    await world.advance(.seconds(5))
    #expect(central.discoveries.count == 4)
  }

  @Test("two peripherals of one device advertise simultaneously")
  func twoPeripheralsOfOneDeviceAdvertiseBesideEachOther() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let first = try await world.makeChat(on: toy, name: "first")
    let second = try await world.makePeripheral(on: toy)
    await world.perform {
      second.advertise("second")
      first.advertise("third")
    }
    await world.advance(.milliseconds(100))
    #expect(first.advertisingResults == [nil, .alreadyAdvertising])
    #expect(second.advertisingResults == [nil])
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.startScan(ScanParameters()) }
    await world.advance(.seconds(3))
    #expect(Set(central.discoveries.map(\.content.localName)) == ["first", "second"])
    await world.perform { first.role.close() }
    await world.advance(.seconds(1))
    await world.perform {
      central.forgetDiscoveries()
      central.role.startScan(ScanParameters())
    }
    await world.advance(.seconds(3))
    #expect(Set(central.discoveries.map(\.content.localName)) == ["second"])
  }

  @Test("I13.3 the refusal of advertising that was stopped in the meantime does not end the next advertising")
  func aRefusalOfAdvertisingThatWasStopped() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let peripheral = try await world.makePeripheral(on: toy)
    await world.perform {
      let opcode = LESetExtendedAdvertisingParameters.opcode.rawValue
      toy.controller?.inject(.refuseCommands(opcode: opcode, error: 0x0C, count: 1))
      peripheral.advertise("first", [Chat.service])
      peripheral.role.stopAdvertising()
      peripheral.advertise("second", [Chat.service])
    }
    try await world.wait { peripheral.advertisingResults.count == 2 }
    #expect(peripheral.advertisingResults.last == .some(nil))
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    #expect(central.discoveries.first?.name == "second")
  }

  @Test("with a single advertising set a second peripheral is refused")
  func withOneAdvertisementOnlyASecondPeripheralIsRefused() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2, configuration: ControllerConfiguration(quirks: .noExtendedAdvertising))
    let first = try await world.makeChat(on: toy, name: "first")
    let second = try await world.makePeripheral(on: toy)
    await world.perform { second.advertise("second") }
    try await world.wait { second.advertisingResults == [.outOfSpace] }
    await world.perform { first.role.stopAdvertising() }
    await world.perform { second.advertise("second") }
    try await world.wait { second.advertisingResults == [.outOfSpace, nil] }
  }
}
