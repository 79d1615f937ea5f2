import BLECore
import BLEHost
import BLETestKit
import Testing

extension AttackedPeripheral {
  /// The attacker is a central that pairs as it should, except for one command.
  static func forged(
    policy: SecurityPolicy = SecurityPolicy(), _ forge: @escaping ([UInt8]) -> [[UInt8]]
  ) async throws -> AttackedPeripheral {
    let scene = try await AttackedPeripheral.start(policy: policy) {
      $0.behave()
      $0.forge = forge
    }
    await scene.pair()
    return scene
  }

  /// Neither keys nor values that need them.
  func expectNothingGained(_ location: SourceLocation = #_sourceLocation) async {
    #expect(device.bonds.isEmpty, sourceLocation: location)
    #expect(attacker.results.isEmpty, sourceLocation: location)
    #expect(await attacker.ask("0a" + Self.secret) == Self.refusal("05"), sourceLocation: location)
  }
}
