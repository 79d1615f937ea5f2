import BLECore
import BLECrypto
import BLEHost
import BLEWire

/// Pairings that must not come about: the last packet is the stack's refusal.
extension SecurityManagerVectors {
  static func playFailure(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    let role = try test.text("dut_role")
    let isInitiator = try isInitiator(role)
    let entries = try test.entries("pdus")
    let hasChoice = try hasChoice(test)
    // With a pairing's roles the pairing itself is tested; with the link's roles, what comes outside of any.
    if role == "central" || role == "peripheral" {
      try playOutside(entries, isInitiator, hasChoice, &outcome)
    } else {
      try playPairing(test, entries, isInitiator, hasChoice, &outcome)
    }
  }

  private static func playPairing(
    _ test: JSONValue, _ entries: [JSONValue], _ isInitiator: Bool, _ hasChoice: Bool,
    _ outcome: inout VectorOutcome
  ) throws {
    let source = ScriptedPairingSource(
      packets: try packets(entries, ofInitiator: isInitiator), privateKey: nil, passkey: nil)
    if test["dut_random_msb_first"] != nil { source.addNonce(try test.block("dut_random_msb_first")) }
    let (initiator, responder) = (
      try address(test, "initiator_address", fallback: 1), try address(test, "responder_address", fallback: 2)
    )
    var run = PairingRun(
      role: isInitiator ? .central : .peripheral, local: isInitiator ? initiator : responder,
      peer: isInitiator ? responder : initiator, source: source, outOfBand: OutOfBandExchange(), userInput: nil)
    if isInitiator { try run.start() }
    for (position, entry) in entries.enumerated() {
      if try isOwn(try entry.text("dir"), isInitiator) {
        let sent = run.takeSent()?.hexadecimal ?? "nothing"
        let wanted = try entry.octets("hex").hexadecimal
        if hasChoice, position == entries.count - 1, isRefusal(sent, inPlaceOf: wanted) { continue }
        outcome.expect("pdus[\(position)]", wanted: wanted, got: sent)
      } else {
        try run.receive(try entry.octets("hex"))
      }
    }
    outcome.expect("left over", wanted: [], got: run.sent.map(\.hexadecimal))
    outcome.expect("failed", wanted: true, got: run.failure != nil)
    outcome.expect("keys", wanted: false, got: run.result != nil)
  }

  /// Where there is a choice, a Pairing Failed is as good as another, whatever its reason, and so is silence.
  private static func isRefusal(_ sent: String, inPlaceOf wanted: String) -> Bool {
    wanted.hasPrefix("05") && (sent == "nothing" || sent.hasPrefix("05"))
  }

  /// Where the test does not say: any two that differ.
  private static func address(_ test: JSONValue, _ name: String, fallback: UInt64) throws -> DeviceAddress {
    DeviceAddress(test[name] == nil ? fallback : try test.number(name, width: 6), kind: .public)
  }

  private final class Channel: SecurityManagerChannel {
    let headroom = 0
    var sent: [[UInt8]] = []
    func send(securityManagerCommand command: consuming ByteWriter) { sent.append(command.octets) }
  }

  private static func playOutside(
    _ entries: [JSONValue], _ isCentral: Bool, _ hasChoice: Bool, _ outcome: inout VectorOutcome
  ) throws {
    let channel = Channel()
    let (local, peer) = (DeviceAddress(1, kind: .public), DeviceAddress(2, kind: .public))
    let manager = SecurityManager(
      role: isCentral ? .central : .peripheral, localAddress: local, peerAddress: peer,
      local: LocalSecurity(
        policy: SecurityPolicy(), identity: LocalIdentity(address: local, identityResolvingKey: SecretKey(.zero)),
        entropy: SystemEntropy()),
      loop: VirtualLoop(), channel: channel)
    for (position, entry) in entries.enumerated() {
      if try isOwn(try entry.text("dir"), isCentral) {
        let sent = channel.sent.isEmpty ? "nothing" : channel.sent.removeFirst().hexadecimal
        let wanted = try entry.octets("hex").hexadecimal
        if hasChoice, isRefusal(sent, inPlaceOf: wanted) { continue }
        outcome.expect("pdus[\(position)]", wanted: wanted, got: sent)
      } else {
        manager.receive(try entry.octets("hex")[...])
      }
    }
    outcome.expect("left over", wanted: [], got: channel.sent.map(\.hexadecimal))
    outcome.expect("pairing", wanted: false, got: manager.isPairing)
  }
}
