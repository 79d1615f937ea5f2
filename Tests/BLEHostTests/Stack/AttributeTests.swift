import BLEAdapter
import BLECore
import BLEHost
import BLEVirtualRadio
import Testing

@Suite struct AttributeTests {
  /// A connected pair with the chat characteristic discovered.
  private func pair(_ world: StackWorld) async throws -> (TestPeripheral, TestCentral, RemoteCharacteristic) {
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    return (peripheral, central, try #require(try await world.discoverChat(central)))
  }

  @Test("the database is discovered without the generic services")
  func theDatabaseIsDiscoveredWithoutTheGenericServices() async throws {
    let world = StackWorld()
    let (_, central, chat) = try await pair(world)
    #expect(chat.uuid == BLEUUID(0xFF22))
    #expect(chat.properties == 0x1E)
    let services = Promised<[RemoteService]>()
    let descriptors = Promised<[RemoteDescriptor]>()
    await world.perform {
      central.link.discoverServices(nil, services.fulfil)
      central.link.discoverDescriptors(of: chat, descriptors.fulfil)
    }
    try await world.wait { descriptors.count == 1 }
    #expect(services.value?.map(\.uuid) == [Chat.service])
    #expect(descriptors.value?.map(\.uuid) == [BLEUUID(0x2902)])
  }

  @Test("values of any length are read and written", arguments: [0, 1, 20, 514, 515, 512])
  func valuesOfAnyLengthAreReadAndWritten(length: Int) async throws {
    let world = StackWorld()
    let (peripheral, central, chat) = try await pair(world)
    let value = (0..<min(length, 512)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let written = Promised<Void>()
    let read = Promised<ArraySlice<UInt8>>()
    await world.perform {
      central.link.write(value, to: chat.value, written.fulfil)
      central.link.read(chat.value, read.fulfil)
    }
    try await world.wait { read.count == 1 }
    #expect(written.count == 1)
    #expect(peripheral.values[Chat.characteristic] == value)
    #expect(read.value == value[...])
  }

  @Test("a refusal arrives with its code")
  func aRefusalComesThroughWithItsCode() async throws {
    let world = StackWorld()
    let (peripheral, central, chat) = try await pair(world)
    peripheral.result = 0x80
    let written = Promised<Void>()
    let read = Promised<ArraySlice<UInt8>>()
    await world.perform {
      central.link.write([1], to: chat.value, written.fulfil)
      central.link.read(chat.value, read.fulfil)
    }
    try await world.wait { read.count == 1 }
    #expect(read.result == .failure(.attribute(code: 0x80)))
    guard case .failure(.attribute(code: 0x80)) = written.result else {
      Issue.record("the write was not refused")
      return
    }
  }

  @Test("writes without response arrive in order and are counted")
  func writesWithoutResponseArriveInOrderAndAreCounted() async throws {
    let world = StackWorld()
    let (peripheral, central, chat) = try await pair(world)
    let sent = Promised<Void>()
    await world.perform {
      for number in 0..<200 {
        central.link.writeCommand([UInt8(number)][...], to: chat.value) { sent.fulfil(.success(())) }
      }
    }
    try await world.wait { peripheral.writes.count == 200 }
    #expect(sent.count == 200)
    #expect(peripheral.writes.map { $0[0].value.first } == (0..<200).map { UInt8($0) })
  }

  @Test("values arrive between subscribing and unsubscribing")
  func valuesFlowBetweenSubscribingAndUnsubscribing() async throws {
    let world = StackWorld()
    let (peripheral, central, chat) = try await pair(world)
    let events = TestLinkEvents()
    central.link.events = events
    await world.perform { peripheral.update([0], of: Chat.characteristic) }
    await world.advance(.seconds(1))
    #expect(peripheral.sentCount == 1)

    let on = Promised<Void>()
    await world.perform { central.link.setNotify(true, for: chat, on.fulfil) }
    try await world.wait { on.count == 1 }
    #expect(peripheral.subscribed.map(\.characteristic) == [Chat.characteristic])
    #expect(peripheral.subscribed[0].central.maximumUpdateValueLength == 514)
    await world.perform {
      for number in 1...50 { peripheral.update([UInt8(number)], of: Chat.characteristic) }
      peripheral.update([UInt8](repeating: 9, count: 600), of: Chat.characteristic)
    }
    try await world.wait { events.values.count == 51 }
    #expect(events.values.dropLast().map(\.value) == (1...50).map { [UInt8($0)] })
    #expect(events.values.last?.value.count == 514)
    #expect(events.values.allSatisfy { $0.handle == chat.value })
    #expect(peripheral.sentCount == 52)

    let off = Promised<Void>()
    await world.perform { central.link.setNotify(false, for: chat, off.fulfil) }
    try await world.wait { off.count == 1 }
    #expect(peripheral.unsubscribed.count == 1)
    await world.perform { peripheral.update([99], of: Chat.characteristic) }
    await world.advance(.seconds(1))
    #expect(events.values.count == 51)
  }

  @Test("subscriptions are shared by the roles of a process")
  func subscriptionsAreSharedByTheRolesOfAProcess() async throws {
    let world = StackWorld()
    let (peripheral, first, chat) = try await pair(world)
    let second = TestCentral(first.stack)
    try await world.wait { second.states.last == .poweredOn }
    await world.perform {
      second.role.connect(first.connected[0].peer.identifier, options: ConnectionOptions())
    }
    try await world.wait { second.connected.count == 1 }
    let firstEvents = TestLinkEvents()
    let secondEvents = TestLinkEvents()
    first.link.events = firstEvents
    second.link.events = secondEvents
    let done = Promised<Void>()
    await world.perform {
      first.link.setNotify(true, for: chat, done.fulfil)
      second.link.setNotify(true, for: chat, done.fulfil)
    }
    try await world.wait { done.count == 2 }
    #expect(peripheral.subscribed.count == 1)
    await world.perform { peripheral.update([1], of: Chat.characteristic) }
    try await world.wait { secondEvents.values.count == 1 }
    #expect(firstEvents.values.count == 1)
    // The first subscriber leaves; the second one still gets values.
    await world.perform { first.role.cancelConnection(first.connected[0].peer.identifier) }
    await world.advance(.seconds(1))
    await world.perform { peripheral.update([2], of: Chat.characteristic) }
    try await world.wait { secondEvents.values.count == 2 }
    #expect(firstEvents.values.count == 1)
    #expect(peripheral.unsubscribed.isEmpty)
    await world.perform { second.role.cancelConnection(first.connected[0].peer.identifier) }
    try await world.wait { peripheral.unsubscribed.count == 1 }
  }

  @Test("a lost subscriber is unsubscribed, and its updates are accounted for")
  func aSubscriberThatIsLostUnsubscribesAndItsUpdatesAreAccountedFor() async throws {
    let world = StackWorld()
    let (peripheral, central, chat) = try await pair(world)
    let on = Promised<Void>()
    await world.perform { central.link.setNotify(true, for: chat, on.fulfil) }
    try await world.wait { on.count == 1 }
    await world.perform {
      for number in 0..<200 { peripheral.update([UInt8(number)], of: Chat.characteristic) }
      central.stack.powerOff()
    }
    try await world.wait { peripheral.unsubscribed.count == 1 }
    try await world.wait { peripheral.sentCount == 200 }
  }

  @Test("updates go to the chosen centrals only")
  func updatesGoToChosenCentralsOnly() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    var centrals: [(central: TestCentral, events: TestLinkEvents)] = []
    for number in 0..<3 {
      let central = try await world.connectChat(from: world.makeDevice(10 + UInt64(number)))
      let events = TestLinkEvents()
      central.link.events = events
      let chat = try #require(try await world.discoverChat(central))
      let on = Promised<Void>()
      await world.perform { central.link.setNotify(true, for: chat, on.fulfil) }
      try await world.wait { on.count == 1 }
      centrals.append((central, events))
    }
    let all = centrals
    await world.perform {
      peripheral.update([1], of: Chat.characteristic)
      peripheral.update([2], of: Chat.characteristic, centrals: [peripheral.subscribed[1].central.identifier])
      peripheral.update([3], of: Chat.characteristic, centrals: [PeerIdentifier(high: 0, low: 1)])
    }
    try await world.wait { all[1].events.values.count == 2 && all.allSatisfy { !$0.events.values.isEmpty } }
    #expect(all[0].events.values.map(\.value) == [[1]])
    #expect(all[2].events.values.map(\.value) == [[1]])
    #expect(peripheral.sentCount == 3)
  }

  @Test("after a disconnection no completion is called")
  func afterADisconnectionNoCompletionComes() async throws {
    let world = StackWorld()
    let (_, central, chat) = try await pair(world)
    let read = Promised<ArraySlice<UInt8>>()
    await world.perform {
      for _ in 0..<5 { central.link.read(chat.value, read.fulfil) }
      central.role.cancelConnection(central.connected[0].peer.identifier)
    }
    await world.advance(.seconds(5))
    #expect(read.count == 0)
    await world.perform { central.link.read(chat.value, read.fulfil) }
    #expect(read.count == 1)
    #expect(read.result == .failure(.notConnected))
  }

  @Test("reserved services are refused and others are not")
  func reservedServicesAreRefusedAndOthersAreNot() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2)
    let peripheral = toy.makePeripheral()
    let service = { (uuid: UInt16) in LocalService(uuid: BLEUUID(uuid), isPrimary: true, characteristics: []) }
    await world.perform { peripheral.add(service(0x180F)) }
    #expect(peripheral.publications == [.failure(.notPoweredOn)])
    try await world.wait { peripheral.states.last == .poweredOn }
    await world.perform {
      for uuid: UInt16 in [0x1800, 0x1801, 0x1812, 0x180A, 0x180F] { peripheral.add(service(uuid)) }
    }
    try await world.wait { peripheral.publications.count == 6 }
    #expect(peripheral.publications[1...3].allSatisfy { $0 == .failure(.uuidNotAllowed) })
    #expect(peripheral.publications[4...5].allSatisfy { (try? $0.get()) != nil })
    await world.perform {
      peripheral.add(
        LocalService(
          uuid: BLEUUID(0x1234), isPrimary: true, included: [LocalServiceIdentifier(rawValue: 99)], characteristics: [])
      )
    }
    try await world.wait { peripheral.publications.last == .failure(.unknownService) }
  }

  @Test("a changed database is reported")
  func aChangedDatabaseIsTold() async throws {
    let world = StackWorld()
    let (peripheral, central, _) = try await pair(world)
    let events = TestLinkEvents()
    central.link.events = events
    await world.advance(.seconds(1))
    await world.perform {
      peripheral.add(LocalService(uuid: BLEUUID(0x180F), isPrimary: true, characteristics: []))
    }
    try await world.wait { events.invalidated.count == 1 }
    let services = Promised<[RemoteService]>()
    await world.perform { central.link.discoverServices(nil, services.fulfil) }
    try await world.wait { services.count == 1 }
    #expect(services.value?.map(\.uuid) == [Chat.service, BLEUUID(0x180F)])
  }

  @Test("a device is known by its advertised name, even when the full name did not fit")
  func aDeviceIsKnownByTheNameThatItAdvertisesEvenWhenTheFullNameDidNotFit() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2, options: HostOptions(nameFollowsAdvertisement: true))
    let name = "A device with a name that does not fit into any advertisement"
    _ = try await world.makeChat(on: toy, name: name)
    let central = try await world.connectChat(from: phone)
    #expect(central.connected[0].peer.name != name)
    let events = TestLinkEvents()
    central.link.events = events
    _ = try await world.discoverChat(central)
    try await world.wait { events.names == [name] }
  }

  @Test("the peer's GAP name is read")
  func theNameThatThePeerGivesItselfIsRead() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2, options: HostOptions(name: "Owenli the toy"))
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let events = TestLinkEvents()
    central.link.events = events
    _ = try await world.discoverChat(central)
    try await world.wait { events.names == ["Owenli the toy"] }
    #expect(phone.stack.knownPeers([central.connected[0].peer.identifier]).map(\.name) == ["Owenli the toy"])
  }

  @Test("the signal strength is read")
  func theSignalStrengthIsRead() async throws {
    let world = StackWorld()
    let (_, central, _) = try await pair(world)
    let rssi = Promised<Int8>()
    await world.perform { central.link.readRSSI(rssi.fulfil) }
    try await world.wait { rssi.count == 1 }
    #expect((rssi.value ?? 0) < 0)
  }

  @Test("a request that is never answered ends the link after thirty seconds")
  func aRequestThatIsNeverAnsweredEndsTheLinkAfterThirtySeconds() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let silent = SilentPeripheral(toy.stack)
    try await world.wait { silent.isOn }
    await world.perform {
      silent.role.add(Chat.published) { _ in }
      silent.role.startAdvertising(LocalAdvertisement(serviceUUIDs: [Chat.service])) { _ in }
    }
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let read = Promised<ArraySlice<UInt8>>()
    await world.perform { central.link.read(chat.value, read.fulfil) }
    try await world.wait(.seconds(40)) { central.disconnections.count == 1 }
    #expect(central.disconnections[0].reason == .timedOut)
    #expect(read.result == .failure(.timedOut))
  }

  @Test("latency is a hint that the central follows")
  func latencyIsAHintThatTheCentralFollows() async throws {
    let world = StackWorld()
    let (peripheral, central, chat) = try await pair(world)
    let on = Promised<Void>()
    await world.perform { central.link.setNotify(true, for: chat, on.fulfil) }
    try await world.wait { on.count == 1 }
    for latency in [ConnectionLatency.high, .low, .medium] {
      await world.perform {
        peripheral.role.setDesiredLatency(latency, for: peripheral.subscribed[0].central.identifier)
      }
      await world.advance(.seconds(5))
      let read = Promised<ArraySlice<UInt8>>()
      let before = world.loop.now
      await world.perform { central.link.read(chat.value, read.fulfil) }
      try await world.wait { read.count == 1 }
      let time = world.loop.now - before
      #expect(latency == .high ? time > .milliseconds(150) : time < .milliseconds(150))
    }
  }
}

/// A peripheral whose program never answers.
private final class SilentPeripheral: PeripheralEvents, @unchecked Sendable {
  private(set) var role: (any PeripheralRole)!
  private(set) var isOn = false
  init(_ stack: HostStack) { role = stack.makePeripheral(events: self) }
  func peripheral(didUpdateState state: AdapterState) { isOn = state == .poweredOn }
  func peripheral(
    didReceiveRead transaction: TransactionIdentifier, of characteristic: LocalCharacteristicIdentifier, offset: Int,
    from central: RemoteCentral
  ) {}
  func peripheral(
    didReceiveWrites transaction: TransactionIdentifier, _ writes: [LocalWrite], needsResponse: Bool,
    from central: RemoteCentral
  ) {}
  func peripheral(didSubscribe central: RemoteCentral, to characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didUnsubscribe central: RemoteCentral, from characteristic: LocalCharacteristicIdentifier) {}
  func peripheral(didOpen channel: any PeerChannel, from central: RemoteCentral) {}
  func peripheral(didUpdate central: RemoteCentral) {}
}
