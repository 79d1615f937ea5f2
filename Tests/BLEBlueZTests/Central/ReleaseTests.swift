import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import Dispatch
import Testing

@testable import BLEBlueZ

@Suite("What a program keeps of an adapter of BlueZ's daemon, and what it releases")
struct ReleaseTests {
  private static let value = AttributeHandle(0x000C)
  private static let characteristic = ScriptedDaemon.device + "/service000a/char000b"

  @Test("I12.2 a link that outlives an adapter which gave up waiting for it is silent, and is not connected")
  func outlived() async throws {
    var (fixture, daemon): (BlueZFixture?, ScriptedDaemon) = try await BlueZFixture.withDevice(speed: 20) { world in
      world.addService("000a", uuid: "180D")
      world.addCharacteristic("000a", "000b", uuid: "2A37", flags: ["read"])
      world.script("ReadValue", at: Self.characteristic) { request, world in world.held.append(request) }
    }
    try await fixture?.connected()
    let recorder = try #require(fixture?.recorder)
    let peer = try #require(try fixture?.peer.identifier)
    let loop = try #require(fixture?.stack.stackLoop)
    await fixture?.run { _ in recorder.links[peer]?.read(Self.value) { _ in recorder.note("answer") } }
    await daemon.wait(for: "ReadValue", at: Self.characteristic)
    // Shuts the adapter down, which waits for three seconds of the loop; the link waits for its read for five.
    fixture = nil
    loop.submit(from: loop.makeOrigin()) {
      loop.schedule(after: .seconds(20), .background) {
        recorder.links[peer]?.read(Self.value) { recorder.note("read \($0.failure.map { "\($0)" } ?? "")") }
      }
    }
    await recorder.wait(for: "read notConnected")
    #expect(!recorder.lines.contains { $0 == "answer" || $0.hasPrefix("disconnected") })
  }

  /// What a program keeps of its adapter. On the loop.
  private final class Kept {
    var stack: BlueZAdapter?
    var central: (any CentralRole)?
  }

  @Test("I12.2 a program may release its adapter while the adapter reports that the bus has ended")
  func released() async throws {
    let bus = try PrivateBus()
    let daemon = try await ScriptedDaemon(on: bus)
    let loop = DispatchStackLoop()
    let recorder = CentralRecorder()
    let kept = LoopBound(Kept())
    loop.submit(from: loop.makeOrigin()) {
      let stack = BlueZAdapter(
        adapter: nil, on: bus.address, loop: loop, peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 4)),
        switches: { [] })
      kept.value.stack = stack
      kept.value.central = stack.makeCentral(events: recorder)
      recorder.reaction = { line in
        guard line == "state resetting" else { return }
        kept.value.central?.close()
        kept.value.central = nil
        kept.value.stack = nil
      }
      stack.start()
    }
    await recorder.wait(for: "state poweredOn")
    bus.kill()
    await recorder.wait(for: "state resetting")
    // After the job that has released it.
    let isReleased = await withCheckedContinuation { continuation in
      loop.queue.async { continuation.resume(returning: kept.value.stack == nil) }
    }
    #expect(isReleased)
    _ = daemon
  }
}
