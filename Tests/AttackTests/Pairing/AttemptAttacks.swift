import BLECore
import BLECrypto
import BLEHost
import BLETestKit
import BLEWire
import Testing

/// Repeated attempts.
@Suite("Attempt attacks", .keepsCapture)
struct AttemptAttacks {
  private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x03, 0x03]
  private static let repeated: [UInt8] = [0x05, 0x09]

  @Test("S5 failures are followed by Repeated Attempts, and a new address for each attempt does not help")
  func repeatedAttempts() async throws {
    let scene = try await AttackedPeripheral.start()
    scene.attacker.sendCommand(Self.request)
    scene.attacker.sendCommand([0x04] + [UInt8](repeating: 0, count: 16))
    scene.attacker.sendCommand(Self.request)
    await scene.world.advance(by: .milliseconds(300))
    #expect(scene.attacker.commands.map { $0.first } == [0x02, 0x05, 0x05])
    #expect(scene.attacker.commands.last == [0x05, 0x09])
    scene.attacker.disconnect()
    await scene.world.advance(by: .milliseconds(300))
    var answers: [[UInt8]] = []
    for number in 10..<18 as Range<UInt64> {
      let other = HostileDevice(scene.world, address: HostileDevice.address(number))
      await scene.world.advance(by: .milliseconds(100))
      other.connect(to: scene.device.address)
      await scene.world.advance(by: .milliseconds(300))
      other.sendCommand(Self.request)
      other.sendCommand([0x04] + [UInt8](repeating: 0, count: 16))
      await scene.world.advance(by: .milliseconds(200))
      answers.append(other.commands.first ?? [])
      other.disconnect()
      await scene.world.advance(by: .milliseconds(100))
    }
    #expect(answers.first?.first == 0x02)
    // A peer that has never failed waits too.
    #expect(answers.last == [0x05, 0x09])
  }

  /// How an attacker ends an attempt after an answer that revealed something.
  enum Ending: String, CaseIterable, Sendable { case leaving, refusing, nonsense }

  @Test(
    "S5 at whatever answer an attempt is broken off, it counts for all: changing private addresses does not help",
    arguments: 1...4, Ending.allCases)
  func everyAnswer(_ answers: Int, _ ending: Ending) async throws {
    let scene = try await AttackedPeripheral.start()
    await scene.attacker.leave()
    var first: [[UInt8]] = []
    for number in 0..<20 as Range<UInt64> {
      let address = DeviceAddress(0x4000_0000_0000 | 0x1_0001 * (number + 1), kind: .random)
      let other = HostileDevice(scene.world, address: address)
      other.behave(seed: number)
      var sent = 0
      other.forge = { [unowned other] command in
        sent += 1
        if sent <= answers { return [command] }
        if sent > answers + 1 { return [] }
        switch ending {
        case .leaving:
          other.disconnect()
          return []
        case .refusing: return [[0x05, 0x08]]
        case .nonsense: return [[0x04] + [UInt8](repeating: 0xA5, count: 16)]
        }
      }
      await scene.world.advance(by: .milliseconds(100))
      other.connect(to: scene.device.address)
      await scene.world.advance(by: .milliseconds(300))
      other.pair()
      await scene.world.advance(by: .milliseconds(500))
      first.append(other.commands.first ?? [])
      other.disconnect()
      await scene.world.advance(by: .milliseconds(100))
    }
    let heard = first.count { $0.first == 0x02 }
    // The free attempts, and as many as fit into 20 s with 1, 2, 4 and 8 s between them.
    #expect(heard >= PairingAttempts.overallAllowance && heard <= PairingAttempts.overallAllowance + 5)
    #expect(first.count { $0 == Self.repeated } == 20 - heard)
    #expect(scene.device.bonds.isEmpty)
  }

  @Test("S5 the delay of one address doubles with each failure, and attempts refused for it do not count")
  func doubling() async throws {
    let scene = try await AttackedPeripheral.start()
    let attacker = scene.attacker
    func attempt() async -> [UInt8] {
      attacker.forgetWhatCame()
      attacker.sendCommand(Self.request)
      await scene.world.advance(by: .milliseconds(100))
      return attacker.commands.first ?? []
    }
    // A link gets this many refusals, two of each round, and then nothing.
    for failure in 0..<SecurityManager.unsolicitedLimit / 2 {
      #expect(await attempt().first == 0x02)
      attacker.sendCommand([0x04] + [UInt8](repeating: 0, count: 16))
      await scene.world.advance(by: .milliseconds(100))
      #expect(attacker.commands.last?.first == 0x05)
      let delay = Duration.seconds(1 << failure)
      #expect(await attempt() == Self.repeated)
      // Up to here at most 0.2 s have passed since the failure.
      await scene.world.advance(by: delay - .milliseconds(450))
      #expect(await attempt() == Self.repeated, "\(failure)")
      await scene.world.advance(by: .milliseconds(250))
    }
  }
}
