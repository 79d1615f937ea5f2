import BLECore
import BLEHCI
import BLETestKit
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import TestSupport
import Testing

/// Data and credits for links that do not exist, have ended, or belong to another peer.
@Suite("H4 handles and credits", .keepsCapture)
struct LinkHandleAttacks {
  /// A shelf on a hostile controller, and a central that is connected to it over the air.
  private struct Scene {
    let world = World()
    let host: BetrayedHost
    let shelf: PeripheralApp
    let central: HostileDevice

    init(_ configuration: ControllerConfiguration = ControllerConfiguration()) async throws {
      let host = BetrayedHost(world, configuration: configuration)
      let shelf = Shelf.start(host.options)
      central = HostileDevice(world, address: HostileDevice.address(1))
      self.host = host
      self.shelf = shelf
      try await world.wait(within: .seconds(5)) { shelf.manager.isAdvertising }
      try await connect()
    }

    func connect() async throws {
      try await central.link(to: host.address)
    }

    func serves() async -> Bool { await central.ask("0a" + Shelf.fixed) == Shelf.fixedAnswer }
    /// The handle of the central's link at the victim.
    func handle() throws -> ConnectionHandle { try #require(host.chip.handle) }
  }

  @Test("H4 data for handles without a link, valid or not, is dropped")
  func unknownHandles() async throws {
    let scene = try await Scene()
    let own = try scene.handle()
    await scene.host.perform { chip in
      for number in UInt16(0)...0x0FFF where ConnectionHandle(number) != own {
        chip.injectWrite("bad", to: 0x14, on: ConnectionHandle(number))
        chip.injectCompletion(.max, of: ConnectionHandle(number))
      }
    }
    #expect(scene.shelf.writes.isEmpty && scene.host.chipCount == 1)
    #expect(await scene.serves())
    // Data of the link itself is delivered, so the attack would have been seen.
    await scene.host.perform { $0.injectWrite("good", to: 0x14, on: own) }
    #expect(scene.shelf.texts == ["good"])
  }

  @Test(
    "H4 data of a link that has just ended is ignored, and half a frame of it is not completed by the handle's next owner"
  )
  func reusedHandle() async throws {
    let scene = try await Scene()
    let handle = try scene.handle()
    // Half a frame, then the end, both halves late, and a new owner of the handle.
    await scene.host.perform { chip in
      chip.injectWrite("early", to: 0x14, on: handle, pieces: 0...0)
      chip.injectDisconnection(handle)
      chip.injectWrite("early", to: 0x14, on: handle, pieces: 1...1)
      chip.injectWrite("late", to: 0x14, on: handle)
      chip.injectCompletion(1, of: handle)
      chip.injectConnection(handle, from: 0xBEEF)
      chip.injectWrite("early", to: 0x14, on: handle, pieces: 1...1)
    }
    #expect(scene.shelf.writes.isEmpty)
    #expect(scene.host.chipCount == 1 && scene.shelf.manager.state == .poweredOn)
    await scene.host.perform { $0.injectWrite("new owner", to: 0x14, on: handle) }
    #expect(scene.shelf.texts == ["new owner"])
    // The old owner's subscriptions and prepared writes are not the new one's either.
    scene.shelf.update("for the old owner")
    await scene.world.advance(by: .milliseconds(200))
    #expect(scene.shelf.centrals.isEmpty)
    // An existing link does not change its owner, nor end twice.
    await scene.host.perform { chip in
      chip.injectConnection(handle, from: 0xF00D)
      chip.injectDisconnection(handle)
      chip.injectDisconnection(handle)
    }
    #expect(scene.host.stack.linkCount == 0)
  }

  @Test(
    "H4 subscriptions, prepared writes and a pending request end with their link, whichever link has the handle next")
  func inheritance() async throws {
    let scene = try await Scene()
    let handle = try scene.handle()
    #expect(await scene.central.ask("12\(Shelf.configuration)0100") == ["13"])
    #expect(await scene.central.ask("16\(Shelf.own)000062616421") != [])
    scene.shelf.answersRequests = false
    #expect(await scene.central.ask("0a\(Shelf.own)") == [])
    #expect(scene.shelf.centrals.count == 1 && scene.shelf.waiting.count == 1)
    var sent: [[UInt8]] = []
    await scene.host.perform { chip in
      chip.toController = { packet in
        if packet.kind == .aclData { sent.append(packet.octets) }
        return [packet]
      }
      chip.injectDisconnection(handle)
      chip.injectConnection(handle, from: 0xBEEF)
    }
    #expect(scene.shelf.centrals.isEmpty)
    scene.shelf.update("for the old owner")
    scene.shelf.answersRequests = true
    scene.shelf.answerWaiting()
    await scene.world.advance(by: .seconds(1))
    #expect(sent.isEmpty)
    // Execute finds nothing prepared.
    await scene.host.perform {
      $0.inject(
        HCIPacket(
          HCIACLPacket(connectionHandle: handle, boundary: .firstFlushable, payload: [2, 0, 4, 0, 0x18, 0x01])))
    }
    #expect(scene.shelf.writes.isEmpty)
    #expect(sent.map { Array($0.suffix(1)) } == [[0x19]])
  }

  @Test("H4 credits never fall below zero nor exceed the total, whatever is returned")
  func credits() async throws {
    var configuration = ControllerConfiguration()
    (configuration.aclPacketCount, configuration.aclPacketLength) = (4, 27)
    let scene = try await Scene(configuration)
    let handle = try scene.handle()
    // The controller keeps its packets: only the test returns credits.
    var held = 0
    var most = 0
    await scene.host.perform { chip in
      chip.toController = { packet in
        guard packet.kind == .aclData else { return [packet] }
        held += 1
        most = max(most, held)
        return []
      }
    }
    func giveBack(_ count: Int, of handle: ConnectionHandle) async {
      await scene.host.perform { chip in
        held -= min(held, count)
        chip.injectCompletion(UInt16(count), of: handle)
      }
    }
    #expect(await scene.central.ask("12\(Shelf.configuration)0100") == [])
    for number in 0..<40 { scene.shelf.update("value \(number)") }
    await scene.world.advance(by: .seconds(1))
    #expect(held == 4)
    // None, some for an unknown handle, and all that it has.
    await giveBack(0, of: handle)
    await scene.host.perform { $0.injectCompletion(200, of: ConnectionHandle(0x0EEE)) }
    #expect(held == 4)
    for _ in 0..<50 {
      await giveBack(1, of: handle)
      await giveBack(3, of: handle)
    }
    #expect(most == 4 && scene.host.chipCount == 1)
  }

  @Test("H4 a controller that returns more credits than it has is reset, and works as before")
  func tooManyCredits() async throws {
    for count in [1, 2, 65_535] as [UInt16] {
      let scene = try await Scene()
      let handle = try scene.handle()
      await scene.host.perform { $0.injectCompletion(count, of: handle) }
      #expect(scene.shelf.manager.state == .resetting)
      #expect(scene.host.stack.linkCount == 0)
      await scene.world.advance(by: .seconds(20))
      #expect(scene.shelf.manager.state == .poweredOn && scene.host.chipCount == 2)
      #expect(!scene.central.isConnected)
      try await scene.world.wait(within: .seconds(10)) { scene.shelf.manager.isAdvertising }
      try await scene.connect()
      #expect(await scene.serves())
    }
  }
}
