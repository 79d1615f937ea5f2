import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("A2: subscriptions", .keepsCapture)
struct SubscriptionTests {
  @Test(
    "R2.10 every listener, added at any moment, gets values, and the subscription ends with the last listener",
    arguments: (0...50).map { $0 * 20 })
  func whenever(milliseconds: Int) async throws {
    let world = World(seed: 7)
    let scene = await SessionScene.make(in: world)
    let session = scene.session
    let heard = Locked<[String]>([])
    let connecting = world.start { try await session.connect() }
    // One that comes too early and leaves again, one that stays.
    let brief = world.start { for await _ in session.notifications(from: SessionScene.line) {} }
    await world.advance(by: .milliseconds(milliseconds))
    brief.cancel()
    let listening = world.start {
      for await value in session.notifications(from: SessionScene.line) {
        heard.change { $0.append(String(decoding: value, as: UTF8.self)) }
      }
    }
    try await world.wait(within: .seconds(10)) { connecting.isOver }
    await world.advance(by: .seconds(2))
    let (peripheral, line) = (scene.peripheral, scene.line)
    #expect(peripheral.centrals.count == 1)
    peripheral.queue.sync {
      _ = peripheral.manager.updateValue(Data("here".utf8), for: line, onSubscribedCentrals: nil)
    }
    try await world.wait(within: .seconds(2)) { heard.value == ["here"] }

    listening.cancel()
    await world.advance(by: .seconds(2))
    #expect(peripheral.centrals.isEmpty)
  }

  @Test("R2.10 a listener that leaves while the device is being subscribed to leaves no subscription behind")
  func hasty() async throws {
    let world = World()
    let scene = try await SessionScene.connected(in: world)
    let session = scene.session
    for milliseconds in stride(from: 0, to: 200, by: 7) {
      let listening = world.start { for await _ in session.notifications(from: SessionScene.line) {} }
      await world.advance(by: .milliseconds(milliseconds))
      listening.cancel()
      await world.advance(by: .seconds(1))
      #expect(scene.peripheral.centrals.isEmpty)
    }
  }
}
