import BLEAdapter
import BLECore
import Testing

@testable import BLEBlueZ

@Suite("Pairings that a program requests, through BlueZ's daemon")
struct SystemPairingTests {
  private static let device = ScriptedDaemon.device

  private func pair(_ fixture: BlueZFixture) async throws -> Result<Bool, SystemPairingError> {
    let peer = try fixture.peer.identifier
    return await withCheckedContinuation { continuation in
      fixture.stack.pair(with: peer) { continuation.resume(returning: $0) }
    }
  }

  @Test("I12.2 a pairing ends when the daemon has answered, and there is none where the device is already paired")
  func answered() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice()
    #expect(try await pair(fixture) == .success(true))
    try await daemon.run { $0.change(["Paired": .boolean(true)]) }
    // The daemon's objects are read in the order in which it announces them.
    try await fixture.connected()
    #expect(try await pair(fixture) == .success(false))
    #expect(try await daemon.run { $0.count("Pair", at: Self.device) } == 1)
  }

  @Test("I12.2 a pairing ends when the device is reported as paired, though the daemon never answers")
  func shown() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Pair", at: Self.device) { request, world in
        world.held.append(request)
        world.change(["Paired": .boolean(true)])
      }
    }
    #expect(try await pair(fixture) == .success(true))
    #expect(try await daemon.run { $0.held.count } == 1)
  }

  @Test("I12.2 the daemon's refusal is reported, and the next pairing is tried")
  func refused() async throws {
    let (fixture, daemon) = try await BlueZFixture.withDevice { world in
      world.script("Pair", at: Self.device) { request, world in
        let isFirst = world.count("Pair", at: Self.device) == 1
        if isFirst {
          request.refuse(BusError("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
        } else {
          world.answer(request)
        }
      }
    }
    guard case .failure(let error) = try await pair(fixture) else {
      Issue.record("the pairing was refused")
      return
    }
    #expect(error.description.contains("Authentication Failed"))
    #expect(try await pair(fixture) == .success(true))
    #expect(try await daemon.run { $0.count("Pair", at: Self.device) } == 2)
  }
}
