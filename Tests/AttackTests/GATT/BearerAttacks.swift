import BLECore
import BLETestKit
import BLEVirtualRadio
import CoreBluetooth
import TestSupport
import Testing

/// Enhanced ATT bearers (SPSM 0x0027) beside the fixed one. This host opens none and accepts none.
@Suite("A8 bearers", .keepsCapture)
struct BearerAttacks {
  private static let spsm: UInt16 = 0x0027

  /// A shelf, and a peer that writes raw frames.
  private struct Scene {
    let shelf: AttackedShelf
    let peer: RawPeer

    static func start() async throws -> Scene {
      let shelf = try await AttackedShelf.start(attackers: 1)
      let scene = Scene(
        shelf: shelf, peer: try RawPeer(shelf.world.air, address: HostileDevice.address(0x27)))
      await shelf.world.advance(by: .milliseconds(200))
      try await scene.connect()
      return scene
    }

    func connect() async throws {
      await perform { $0.connect(to: shelf.device.address) }
      await shelf.world.advance(by: .seconds(2))
      try #require(peer.handle != nil)
      peer.forget()
    }

    func perform(_ job: @escaping (RawPeer) -> Void) async {
      let bound = LoopBound((peer, job))
      shelf.world.loop.submit(from: .common) { bound.value.1(bound.value.0) }
      await shelf.world.advance(by: .zero)
    }

    /// The answers on a channel.
    func answers(on channel: UInt16, after job: @escaping (RawPeer) -> Void) async -> [[UInt8]] {
      peer.forget()
      await perform(job)
      await shelf.world.advance(by: .milliseconds(300))
      return peer.frames.filter { $0.channel == channel }.map(\.payload)
    }

    func serves() async -> Bool {
      let answers = await answers(on: 4) { $0.send([UInt8](hexadecimal: "0a" + Shelf.fixed) ?? [], on: 4) }
      return answers.map(\.hexadecimal) == Shelf.fixedAnswer
    }
  }

  @Test("A8 a peer that requests further bearers is refused in each form, and the fixed one still works")
  func refused() async throws {
    let scene = try await Scene.start()
    // Result 0x0002: no such SPSM.
    #expect(
      await scene.answers(on: 5) { $0.signal(Attack.open(1, spsm: Self.spsm)) } == [Attack.refused(1, 0x0002)])
    for count in 1...5 {
      let cids = (0..<UInt16(count)).map { 0x40 + $0 }
      let answers = await scene.answers(on: 5) {
        $0.signal(Attack.openEnhanced(2, spsm: Self.spsm, mtu: 64, mps: 64, cids: cids))
      }
      #expect(answers == [Attack.refusedEnhanced(2, 0x0002, count: count)])
      #expect(await scene.serves())
    }
    // Nothing is served on a channel that was not opened, even one with the bearer's number.
    for channel in [0x0040, 0x0041, 0x0027, 0x007F] as [UInt16] {
      let request = [UInt8](hexadecimal: "03000a" + Shelf.fixed) ?? []
      await scene.perform { $0.send(request, on: channel) }
      await scene.shelf.world.advance(by: .milliseconds(300))
    }
    #expect(await scene.serves())
    // Server Supported Features agrees: no bit is set.
    #expect(
      await scene.answers(on: 4) { $0.send([0x0A, 0x0F, 0x00], on: 4) } == [[0x0B, 0x00]])
  }

  @Test("A8 a client that announces enhanced bearers is accepted, and still gets all values on the fixed one")
  func features() async throws {
    let scene = try await Scene.start()
    #expect(await scene.answers(on: 4) { $0.send([0x12, 0x0B, 0x00, 0x02], on: 4) } == [[0x13]])
    #expect(await scene.answers(on: 4) { $0.send([0x12, 0x15, 0x00, 0x01, 0x00], on: 4) } == [[0x13]])
    scene.peer.forget()
    for number in 0..<5 { scene.shelf.program.update("\(number)") }
    await scene.shelf.world.advance(by: .milliseconds(300))
    #expect(scene.peer.frames.map(\.channel) == [4, 4, 4, 4, 4])
  }

  @Test(
    "A8 writes stay in order whatever is requested, refused and closed between them, and the link may end at any point")
  func order() async throws {
    let scene = try await Scene.start()
    var expected: [[UInt8]] = []
    for step in 0..<20 {
      let last = UInt8(step)
      await scene.perform { peer in
        for number in 0...last {
          peer.send([0x52, 0x14, 0x00, last, number], on: 4)
          peer.signal(Attack.openEnhanced(number + 1, spsm: Self.spsm, mtu: 64, mps: 64, cids: [0x40 + UInt16(number)]))
          peer.signal(Attack.close(number + 1))
          // An invalid request, and the end of its bearer directly after it.
          peer.send([0x03, 0x00, 0xFF, 0xFF, 0xFF], on: 0x40 + UInt16(number))
        }
      }
      await scene.shelf.world.advance(by: .milliseconds(100))
      expected += (0...last).map { [last, $0] }
      #expect(scene.shelf.program.writes.map { $0.flatMap(\.value) } == expected)
    }
    // Another link is served while this one ends inside such a sequence.
    await scene.perform { peer in
      for number in UInt8(0)..<30 {
        peer.send([0x52, 0x14, 0x00, 99, number], on: 4)
        peer.signal(Attack.openEnhanced(number + 1, spsm: Self.spsm, mtu: 64, mps: 64, cids: [0x40]))
      }
      peer.controller.silence()
    }
    #expect(await scene.shelf.serves(scene.shelf.attacker))
    await scene.shelf.world.advance(by: .seconds(10))
    #expect(await scene.shelf.serves(scene.shelf.attacker))
    let rest = scene.shelf.program.writes.dropFirst(expected.count).map { $0.flatMap(\.value) }
    #expect(rest == (0..<UInt8(rest.count)).map { [99, $0] })
  }
}
