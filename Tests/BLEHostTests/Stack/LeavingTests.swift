import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import Testing

/// How a link ends after the last values were sent.
@Suite struct LeavingTests {
  enum Way: CaseIterable {
    case cancel, close, shutDown
  }

  /// Records when commands and data pass.
  private final class Traffic: HCITap {
    private(set) var packets: [HCIPacket] = []
    func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
      if direction == .toController { packets.append(packet) }
    }
    func forget() { packets = [] }

    /// The opcodes of attribute PDUs, in the order in which they were sent.
    var attributeOpcodes: [ATTOpcode] {
      packets.compactMap { packet in
        guard packet.kind == .aclData, let data = try? HCIACLPacket(packet.octets), data.boundary != .continuing,
          data.payload.count > 4, data.payload.dropFirst(2).first == 4, let opcode = data.payload.dropFirst(4).first
        else { return nil }
        return ATTOpcode(opcode)
      }
    }
  }

  private func leave(_ central: TestCentral, _ way: Way) {
    switch way {
    case .cancel: central.role.cancelConnection(central.connected[0].peer.identifier)
    case .close: central.role.close()
    case .shutDown: central.stack.shutDown {}
    }
  }

  @Test(
    "I11.21 a value written without response arrives though the link ends right after it, and the peer gets the end later",
    arguments: Way.allCases, [ControllerQuirks(), .fourBuffers])
  func aCommandArrives(way: Way, quirks: ControllerQuirks) async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1, configuration: ControllerConfiguration(quirks: quirks))
    let toy = world.makeDevice(2, dataDelay: .milliseconds(80))
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    await world.perform {
      for number in 0..<40 { central.link.writeCommand([UInt8(number)][...], to: chat.value) {} }
      leave(central, way)
    }
    try await world.wait { phone.stack.linkCount == 0 }
    await world.advance(.seconds(1))
    #expect(peripheral.writes.map { $0.map(\.value) } == (0..<40).map { [[UInt8($0)]] })
    #expect(toy.stack.linkCount == 0)
  }

  @Test("I11.21 values written after a read that is still unanswered arrive as well")
  func aCommandThatWaitsForItsTurn() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2, dataDelay: .milliseconds(80))
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let read = Promised<ArraySlice<UInt8>>()
    let written = Promised<Void>()
    await world.perform {
      central.link.read(chat.value, read.fulfil)
      central.link.writeCommand([1], to: chat.value) {}
      central.link.write([2], to: chat.value, written.fulfil)
      leave(central, .cancel)
    }
    try await world.wait { phone.stack.linkCount == 0 }
    await world.advance(.seconds(1))
    #expect(peripheral.writes.flatMap { $0.map(\.value) } == [[1], [2]])
    // A role that has disconnected gets no more callbacks.
    #expect(read.count == 0 && written.count == 0)
  }

  @Test("I11.21 a peripheral's last notifications arrive though its process ends")
  func aNotificationArrives() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1, dataDelay: .milliseconds(80))
    let toy = world.makeDevice(2)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let events = TestLinkEvents()
    await world.perform {
      central.link.events = events
      central.link.setNotify(true, for: chat) { _ in }
    }
    try await world.wait { peripheral.subscribed.count == 1 }
    await world.advance(.seconds(1))
    await world.perform {
      peripheral.update([7], of: Chat.characteristic)
      toy.stack.shutDown {}
    }
    try await world.wait { central.disconnections.count == 1 }
    #expect(events.values.map(\.value) == [[7]])
  }

  @Test(
    "I11.21 a peer that never answers delays no program: the callback comes immediately, and the link ends",
    arguments: Way.allCases)
  func aPeerThatNeverAnswers(way: Way) async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let start = world.loop.now
    await world.perform {
      toy.controller?.inject(.loseDataToHost(packets: .max))
      central.link.writeCommand([1], to: chat.value) {}
      leave(central, way)
    }
    if way == .cancel {
      try await world.wait { central.disconnections.count == 1 }
      #expect(world.loop.now == start)
    }
    try await world.wait { phone.stack.linkCount == 0 }
    #expect(world.loop.now - start <= .milliseconds(2_500))
  }

  @Test("I11.21 a peer that has vanished delays a program no longer than the supervision time-out")
  func aPeerThatHasVanished() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let start = world.loop.now
    await world.perform {
      toy.controller?.silence()
      for _ in 0..<200 { central.link.writeCommand([UInt8](repeating: 1, count: 200)[...], to: chat.value) {} }
      leave(central, .cancel)
    }
    try await world.wait { phone.stack.linkCount == 0 }
    #expect(world.loop.now - start <= .seconds(6))
    try await world.wait { central.disconnections.count == 1 }
    #expect(central.disconnections.map(\.reason) == [.requested])
  }

  @Test("I11.21 more values than the limit arrive whole as long as the peer accepts them")
  func manyCommandsArrive() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1, configuration: ControllerConfiguration(quirks: .fourBuffers))
    var slow = ControllerConfiguration()
    slow.supportsDataLengthExtension = false
    slow.supportsFurtherPHYs = false
    let toy = world.makeDevice(2, configuration: slow)
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let start = world.loop.now
    await world.perform {
      for number in 0..<200 {
        central.link.writeCommand([UInt8](repeating: UInt8(number), count: 200)[...], to: chat.value) {}
      }
      leave(central, .cancel)
    }
    try await world.wait(.seconds(20)) { phone.stack.linkCount == 0 }
    #expect(peripheral.writes.count == 200)
    #expect(world.loop.now - start > .seconds(2))
  }

  @Test("I11.21 where everything was answered the link ends immediately, without another request")
  func nothingToWaitFor() async throws {
    let world = StackWorld()
    let traffic = Traffic()
    let phone = world.makeDevice(1, tap: traffic)
    let toy = world.makeDevice(2)
    _ = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let written = Promised<Void>()
    await world.perform {
      central.link.writeCommand([1], to: chat.value) {}
      central.link.write([1], to: chat.value, written.fulfil)
    }
    try await world.wait { written.count == 1 }
    traffic.forget()
    await world.perform { leave(central, .cancel) }
    try await world.wait { phone.stack.linkCount == 0 }
    #expect(traffic.attributeOpcodes == [])
    #expect(traffic.packets.count == 1)
  }

  @Test("I11.21 a connection that is requested while the old link is ending is a new one")
  func connectingMeanwhile() async throws {
    let world = StackWorld()
    let phone = world.makeDevice(1)
    let toy = world.makeDevice(2, dataDelay: .milliseconds(80))
    let peripheral = try await world.makeChat(on: toy)
    let central = try await world.connectChat(from: phone)
    let chat = try #require(try await world.discoverChat(central))
    let peer = central.connected[0].peer.identifier
    await world.perform {
      central.link.writeCommand([1], to: chat.value) {}
      central.role.cancelConnection(peer)
      central.role.connect(peer, options: ConnectionOptions())
    }
    try await world.wait { central.connected.count == 2 }
    #expect(peripheral.writes.count == 1)
    #expect(central.disconnections.map(\.reason) == [.requested])
    #expect(phone.stack.linkCount == 1)
  }
}
