import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import Testing

@Suite struct ConnectingTests {
  @Test(
    "a connection is made with a large MTU",
    arguments: [ControllerQuirks(), .noExtendedAdvertising, .fourBuffers, .slowCommands])
  func aConnectionComesUpWithALargeMTU(quirks: ControllerQuirks) async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1, configuration: ControllerConfiguration(quirks: quirks))
    let toy = world.makeDevice(2, configuration: ControllerConfiguration(quirks: quirks))
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    #expect(central.connected.map(\.peer.address) == [toy.address])
    #expect(central.connected.map(\.peer.name) == ["My dear"])
    #expect(central.link.maximumTransmissionUnit == 517)
    #expect(central.linkChanges.map(\.isConnected) == [true])
    #expect(central.linkChanges[0].services == [Chat.service])
    #expect(phone.stack.connectedPeers(withServices: [Chat.service]).map(\.address) == [toy.address])
    #expect(phone.stack.connectedPeers(withServices: [BLEUUID(0x180D)]).isEmpty)
  }

  @Test("each way to end a link has its reason")
  func eachWayToEndALinkHasItsReason() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let peer = central.connected[0].peer.identifier

    await world.perform { central.role.cancelConnection(peer) }
    try await world.wait { central.disconnections.count == 1 }
    #expect(central.disconnections[0].reason == .requested)

    await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
    try await world.wait { central.connected.count == 2 }
    await world.perform { toy.controller?.silence() }
    try await world.wait { central.disconnections.count == 2 }
    #expect(central.disconnections[1].reason == .lost)
    #expect(central.linkChanges.map(\.isConnected) == [true, false, true, false])

    // A connection waits without a time limit.
    await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
    await world.advance(.seconds(600))
    #expect(central.connected.count == 2 && central.failures.isEmpty)
    await world.perform { toy.controller?.comeBack() }
    try await world.wait { central.connected.count == 3 }
    toy.stack.powerOff()
    try await world.wait { central.disconnections.count == 3 }
    #expect(central.disconnections[2].reason == .closedByPeer)
    #expect(central.failures.isEmpty)
  }

  @Test("I11.34 a peer that vanishes while the link is being made is tried again, without a time limit")
  func aPeerThatVanishesWhileTheLinkComesUp() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    await world.perform {
      central.role.stopScan()
      central.role.connect(central.discoveries[0].peer, options: ConnectionOptions())
      // From now on the toy receives nothing, though it is received.
      if let toy = toy.controller, let phone = phone.controller {
        world.air.setLoss(.independent(rate: 1), from: toy, to: phone)
      }
    }
    await world.advance(.milliseconds(300))
    await world.perform { toy.controller.map { world.air.setLoss(LossModel.none, from: $0, to: phone.controller!) } }
    try await world.wait { !central.connected.isEmpty }
    await world.perform { central.role.cancelConnection(central.discoveries[0].peer) }
    try await world.wait { central.disconnections.count == 1 }
    // A connection request that is not received: the first connection events stay empty.
    await world.perform {
      central.role.connect(central.discoveries[0].peer, options: ConnectionOptions())
      if let toy = toy.controller, let phone = phone.controller {
        world.air.setLoss(.independent(rate: 1), from: phone, to: toy)
      }
    }
    await world.advance(.seconds(120))
    #expect(central.failures.isEmpty)
    #expect(central.connected.count == 1)
    await world.perform { toy.controller.map { world.air.setLoss(LossModel.none, from: phone.controller!, to: $0) } }
    try await world.wait { central.connected.count == 2 }
    #expect(central.failures.isEmpty)
  }

  /// Counts the links of a device, including those that ended at once.
  private final class Attempts: HCITap {
    private(set) var count = 0
    func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
      guard packet.kind == .event, let octets = try? HCIEventPacket(packet.octets), let event = try? HCIEvent(octets),
        case .leEnhancedConnectionComplete(let complete) = event, complete.status.isSuccess
      else { return }
      count += 1
    }
  }

  @Test(
    "I11.34 a device that never answers is tried at a bounded rate, until cancelled; others are not delayed"
  )
  func aDeviceThatNeverAnswers() async throws {
    let world = StackWorld()
    let attempts = Attempts()
    let phone = world.makeDevice(1, tap: attempts)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    let deaf = central.discoveries[0].peer
    await world.perform {
      central.role.connect(deaf, options: ConnectionOptions())
      if let toy = toy.controller, let phone = phone.controller {
        world.air.setLoss(.independent(rate: 1), from: phone, to: toy)
      }
    }
    await world.advance(.seconds(60))
    #expect(attempts.count >= 20 && attempts.count <= 40)
    #expect(central.connected.isEmpty && central.failures.isEmpty)
    let other = world.makeDevice(3)
    _ = try await world.makeChat(on: other, name: "other")
    try await world.wait { Set(central.discoveries.map(\.peer)).count == 2 }
    let reachable = central.discoveries.map(\.peer).first { $0 != deaf }!
    await world.perform { central.role.connect(reachable, options: ConnectionOptions()) }
    try await world.wait { central.connected.map(\.peer.identifier) == [reachable] }
    await world.perform { central.role.cancelConnection(deaf) }
    try await world.wait { central.disconnections.map(\.reason) == [.requested] }
    await world.advance(.seconds(1))
    let ended = attempts.count
    await world.advance(.seconds(60))
    #expect(attempts.count == ended)
    #expect(phone.stack.linkCount == 1)
  }

  @Test("I11.34 of many pending connections that wait for one device each gets its turn")
  func manyWaitForOneDevice() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    var centrals: [TestCentral] = []
    for number in 0..<4 {
      let central = world.makeDevice(10 + UInt64(number)).makeCentral()
      try await world.wait { central.states.last == .poweredOn }
      try await world.find(central)
      centrals.append(central)
    }
    let all = centrals
    await world.perform {
      peripheral.role.stopAdvertising()
      for central in all {
        central.role.stopScan()
        central.role.connect(central.discoveries[0].peer, options: ConnectionOptions())
      }
    }
    await world.advance(.seconds(1))
    await world.perform { peripheral.advertise("My dear", [Chat.service]) }
    try await world.wait(.seconds(30)) { all.allSatisfy { $0.connected.count == 1 } }
    #expect(all.allSatisfy { $0.failures.isEmpty })
  }

  @Test("I11.33 a peripheral requests long packets and a faster PHY where the central requests nothing")
  func aPeripheralAsksForLongPackets() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try BareDevice(world, 1)
    await world.perform { central.connect(to: toy.address) }
    try await world.wait { central.receivedLength != nil }
    #expect(central.receivedLength == 251)
    try await world.wait { central.phy != nil }
    #expect(central.phy == .le2M)
    await world.advance(.seconds(5))
    #expect(toy.stack.linkCount == 1)
  }

  @Test("I11.33 a central that sends its own requests gets none")
  func aCentralAsksFirst() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try BareDevice(world, 1)
    await world.perform { central.connect(to: toy.address) }
    try await world.wait { central.link != nil }
    await world.perform {
      guard let link = central.link else { return }
      central.send(
        LESetPHY(connectionHandle: link, preference: [], transmitPHYs: .le2M, receivePHYs: .le2M, options: 0))
    }
    await world.advance(.seconds(5))
    let changes = central.events.filter { if case .lePHYUpdateComplete = $0 { true } else { false } }
    #expect(changes.count == 1 && central.phy == .le2M)
  }

  @Test("a pending connection is cancelled before, during and after its setup")
  func aPendingConnectionIsCancelledBeforeDuringAndAfter() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    let peer = central.discoveries[0].peer
    await world.perform { central.role.stopScan() }
    // At every moment of connection setup.
    for step in 0..<60 {
      let ended = central.disconnections.count
      await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
      await world.advance(.milliseconds(Int64(step) * 5))
      await world.perform { central.role.cancelConnection(peer) }
      try await world.wait { central.disconnections.count == ended + 1 }
      #expect(central.disconnections.last?.reason == .requested)
      await world.advance(.seconds(1))
      #expect(central.disconnections.count == ended + 1)
      #expect(central.failures.isEmpty)
    }
    #expect(!central.connected.isEmpty)
    // Each role that was notified of a link was notified of its end, and no other role.
    let changes = central.linkChanges.map(\.isConnected)
    #expect(changes == (0..<changes.count).map { $0 % 2 == 0 } && changes.count % 2 == 0)
    await world.perform { central.role.cancelConnection(peer) }
    await world.advance(.seconds(1))
    #expect(central.disconnections.count == 60)
  }

  @Test("a start delay is respected")
  func aStartDelayIsKept() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.makeCentral(on: phone)
    try await world.find(central)
    await world.perform {
      central.role.connect(central.discoveries[0].peer, options: ConnectionOptions(startDelay: .seconds(20)))
    }
    await world.advance(.milliseconds(19_900))
    #expect(central.connected.isEmpty)
    try await world.wait(.seconds(2)) { central.connected.count == 1 }
  }

  @Test("many connections are pending simultaneously", arguments: [UInt8(64), 2, 0])
  func manyConnectionsArePendingAtOnce(acceptListSize: UInt8) async throws {
    let world = StackWorld()
    var configuration = ControllerConfiguration()
    configuration.acceptListSize = acceptListSize
    let phone = world.makeDevice(1, configuration: configuration)
    let toys = (0..<8).map { world.makeDevice(10 + $0) }
    var peripherals: [TestPeripheral] = []
    for (number, toy) in toys.enumerated() {
      peripherals.append(try await world.makeChat(on: toy, name: "toy \(number)"))
    }
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.startScan(ScanParameters()) }
    try await world.wait { Set(central.discoveries.map(\.peer)).count == 8 }
    let all = peripherals
    await world.perform { for peripheral in all { peripheral.role.stopAdvertising() } }
    await world.advance(.seconds(1))
    await world.perform {
      for peer in Set(central.discoveries.map(\.peer)) { central.role.connect(peer, options: ConnectionOptions()) }
    }
    await world.advance(.seconds(30))
    #expect(central.connected.isEmpty)
    // They appear one after the other, the last first.
    for (count, peripheral) in peripherals.reversed().enumerated() {
      await world.perform { peripheral.advertise(nil) }
      try await world.wait(.seconds(60)) { central.connected.count == count + 1 }
    }
    #expect(Set(central.connected.map(\.peer.address)) == Set(toys.map(\.address)))
    // Scanning continued all the while.
    await world.perform { central.role.startScan(ScanParameters()) }
    let before = central.discoveries.count
    try await world.wait { central.discoveries.count > before }
  }

  @Test("the connection limit is a reason of failure")
  func theConnectionLimitIsAReason() async throws {
    let world = StackWorld()
    var configuration = ControllerConfiguration()
    configuration.connectionLimit = 1
    let phone = world.makeDevice(1, configuration: configuration)
    for number in 10..<12 { _ = try await world.makeChat(on: world.makeDevice(UInt64(number))) }
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.startScan(ScanParameters()) }
    try await world.wait { Set(central.discoveries.map(\.peer)).count == 2 }
    await world.perform { central.role.connect(central.discoveries[0].peer, options: ConnectionOptions()) }
    try await world.wait { central.connected.count == 1 }
    let other = central.discoveries.map(\.peer).first { $0 != central.connected[0].peer.identifier }!
    await world.perform { central.role.connect(other, options: ConnectionOptions()) }
    try await world.wait { central.failures.count == 1 }
    #expect(central.failures[0].reason == .limitReached)
  }

  @Test("roles share a link, and the last one ends it")
  func rolesShareALinkAndTheLastOneEndsIt() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    let first = try await world.connectChat(from: phone)
    let peer = first.connected[0].peer.identifier
    let second = try await world.makeCentral(on: phone)
    await world.perform { second.role.connect(peer, options: ConnectionOptions()) }
    try await world.wait { second.connected.count == 1 }
    // Connecting again while connected.
    await world.perform { second.role.connect(peer, options: ConnectionOptions()) }
    try await world.wait { second.connected.count == 2 }
    #expect(second.connected[0].link === second.connected[1].link)
    #expect(first.linkChanges.map(\.isConnected) == [true])

    await world.perform { first.role.cancelConnection(peer) }
    try await world.wait { first.disconnections.map(\.reason) == [.requested] }
    await world.advance(.seconds(2))
    #expect(second.disconnections.isEmpty)
    #expect(second.linkChanges.isEmpty)
    await world.perform { second.role.cancelConnection(peer) }
    try await world.wait { first.linkChanges.map(\.isConnected) == [true, false] }
    #expect(phone.stack.connectedPeers(withServices: [Chat.service]).isEmpty)
    #expect(peripheral.states == [.poweredOn])

    // Cancelling and immediately connecting makes a new link.
    await world.perform { first.role.connect(peer, options: ConnectionOptions()) }
    try await world.wait { first.connected.count == 2 }
    await world.perform {
      first.role.cancelConnection(peer)
      first.role.connect(peer, options: ConnectionOptions())
    }
    try await world.wait { first.connected.count == 3 }
    #expect(first.disconnections.map(\.reason) == [.requested, .requested])
    #expect(first.connected[1].link !== first.connected[2].link)
  }

  @Test("advertising continues while centrals are connected")
  func advertisingGoesOnWhileCentralsAreConnected() async throws {
    let world = StackWorld()
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    var phones: [TestCentral] = []
    for number in 0..<4 { phones.append(try await world.connectChat(from: world.makeDevice(10 + UInt64(number)))) }
    #expect(phones.allSatisfy { $0.disconnections.isEmpty })
    let late = try await world.makeCentral(on: world.makeDevice(20))
    try await world.find(late)
  }

  @Test("a central can use the link that the peer made")
  func aCentralCanUseTheLinkThatThePeerMade() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let forth = try await world.connectChat(from: phone)
    _ = try await world.makeChat(on: phone, name: "phone")
    let back = try await world.connectChat(from: toy)
    #expect(back.connected.map(\.peer.address) == [phone.address])
    let chat = try await world.discoverChat(back)
    #expect(chat?.uuid == BLEUUID(0xFF22))
    await world.perform { back.role.cancelConnection(back.connected[0].peer.identifier) }
    await world.advance(.seconds(2))
    #expect(back.disconnections.map(\.reason) == [.requested])
    #expect(forth.disconnections.isEmpty)
  }

  @Test("closing a role ends its operations and links")
  func closingARoleEndsWhatItHad() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    await world.perform { central.role.startScan(ScanParameters(allowsDuplicates: true)) }
    await world.perform { central.role.close() }
    let seen = central.discoveries.count
    await world.advance(.seconds(3))
    #expect(central.discoveries.count == seen)
    #expect(central.disconnections.isEmpty)
    let other = try await world.connectChat(from: phone)
    await world.perform { peripheral.role.close() }
    let chat = try await world.discoverChat(other)
    #expect(chat == nil)
  }

  @Test("connecting to an unknown peer fails")
  func anUnknownPeerIsAFailure() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let central = try await world.makeCentral(on: phone)
    await world.perform { central.role.connect(PeerIdentifier(high: 1, low: 2), options: ConnectionOptions()) }
    try await world.wait { central.failures.count == 1 }
  }

  @Test("a thousand connections leave nothing behind")
  func aThousandConnectionsLeaveNothingBehind() async throws {
    struct Weak { weak var link: (any PeerLink)? }
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let peer = central.connected[0].peer.identifier
    var links: [Weak] = []
    for round in 1...1_000 {
      links.append(Weak(link: central.link))
      if round % 10 == 0, let chat = try await world.discoverChat(central) {
        await world.perform { central.link.setNotify(true, for: chat) { _ in } }
      }
      await world.perform { central.role.cancelConnection(peer) }
      try await world.wait { central.disconnections.count == 1 }
      #expect(central.disconnections.map(\.reason) == [.requested])
      central.forgetConnections()
      peripheral.forget()
      await world.perform { central.role.connect(peer, options: ConnectionOptions()) }
      try await world.wait { central.connected.count == 1 }
    }
    await world.perform { central.role.cancelConnection(peer) }
    await world.advance(.seconds(40))
    central.forgetConnections()
    #expect(central.failures.isEmpty)
    #expect(links.allSatisfy { $0.link == nil })
    #expect(phone.stack.linkCount == 0)
    #expect(toy.stack.linkCount == 0)
  }
}
