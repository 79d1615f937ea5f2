import BLECore
import BLECrypto
import BLEHost
import BLEWire

/// Whole pairings that lead to keys, or are refused.
extension SecurityManagerVectors {
  static func playTranscript(_ test: JSONValue, _ outcome: inout VectorOutcome) throws {
    let hasChoice = try hasChoice(test)
    let isInitiator = try isInitiator(try test.text("dut_role"))
    let entries = try test.entries("pdus")
    guard let expected = test["expected"], let initiator = test["initiator"], let responder = test["responder"] else {
      throw NotUnderstood("expected, initiator, responder")
    }
    let input = test["user_input"] ?? .null
    let action = try input.text("action")
    guard ["none", "display", "input", "numcmp", "oob"].contains(action) else {
      throw NotUnderstood("action \(action)")
    }
    let source = ScriptedPairingSource(
      packets: try packets(entries, ofInitiator: isInitiator), privateKey: try privateKey(test),
      passkey: action == "display" ? SixDigits(try input.text("passkey")) : nil)
    let addresses = try [initiator, responder].map { try $0.address("address", kind: "address_type_octet") }
    var run = PairingRun(
      role: isInitiator ? .central : .peripheral, local: addresses[isInitiator ? 0 : 1],
      peer: addresses[isInitiator ? 1 : 0], source: source,
      outOfBand: OutOfBandExchange(temporaryKey: action == "oob" ? try input.key16("oob_tk_msb_first") : nil),
      userInput: input)
    if isInitiator { try run.start() }
    try play(entries, isInitiator, derived: test["derived"], &run, &outcome)
    if !hasChoice { outcome.expect("left over", wanted: [], got: run.sent.map(\.hexadecimal)) }
    for what in source.missing where !hasChoice { outcome.failures.append("the stack drew \(what) more than there is") }
    try judge(test, expected, input, run, &outcome)
  }

  private static func play(
    _ entries: [JSONValue], _ isInitiator: Bool, derived: JSONValue?, _ run: inout PairingRun,
    _ outcome: inout VectorOutcome
  ) throws {
    for (position, entry) in entries.enumerated() {
      let direction = try entry.text("dir")
      if direction == "local" {
        guard try entry.text("action") == "link_encrypted" else { throw NotUnderstood("action") }
        try judge(derived ?? .null, run.secrets, &outcome)
        let key = try run.encrypt()
        outcome.expect(
          "pdus[\(position)] key", wanted: try entry.octets("key_msb_first").hexadecimal, got: key.map(hex))
      } else if try isOwn(direction, isInitiator) {
        outcome.expect(
          "pdus[\(position)]", wanted: try entry.octets("hex").hexadecimal,
          got: run.takeSent()?.hexadecimal ?? "nothing")
      } else {
        try run.receive(try entry.octets("hex"))
      }
    }
  }

  private static func judge(_ derived: JSONValue, _ secrets: PairingSecrets, _ outcome: inout VectorOutcome) throws {
    for (name, wanted) in (derived.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      let key: SecretKey?
      switch name {
      case "tk": key = secrets.temporaryKey
      case "stk", "ltk": key = secrets.linkKey
      case "dhkey": key = secrets.dhKey
      case "mackey": key = secrets.macKey
      default: throw NotUnderstood("derived.\(name)")
      }
      outcome.expect("derived.\(name)", wanted: wanted.string?.lowercased(), got: key.map(hex))
    }
  }

  private static func judge(
    _ test: JSONValue, _ expected: JSONValue, _ input: JSONValue, _ run: PairingRun, _ outcome: inout VectorOutcome
  ) throws {
    let wanted = try expected.text("outcome")
    guard ["paired", "failed"].contains(wanted) else { throw NotUnderstood("outcome \(wanted)") }
    outcome.expect(
      "outcome", wanted: wanted, got: run.result != nil ? "paired" : run.failure != nil ? "failed" : "unfinished")
    if wanted == "paired" {
      outcome.expect(
        "authenticated", wanted: try expected.flag("authenticated"), got: run.result?.security.isAuthenticated)
      if let digits = input["displayed_number"] ?? (input["action"]?.string == "display" ? input["passkey"] : nil) {
        outcome.expect("displayed", wanted: digits.string, got: run.displayed)
      }
    }
    let methods: [String: PairingMethod] = [
      "just-works": .justWorks, "passkey-entry": .passkeyEntry, "numeric-comparison": .numericComparison,
      "out-of-band": .outOfBand,
    ]
    guard let method = methods[try test.text("association")] else { throw NotUnderstood("association") }
    outcome.expect("association", wanted: method, got: run.agreement?.model.method)
    let kind = try test.text("method")
    guard ["legacy", "secure-connections"].contains(kind) else { throw NotUnderstood("method \(kind)") }
    outcome.expect("method", wanted: kind == "secure-connections", got: run.agreement?.isSecureConnections)
  }

  // MARK: Reading

  static func hasChoice(_ test: JSONValue) throws -> Bool {
    switch try test.text("portability") {
    case "spec": false
    case "implementation-choice", "spec-or-choice": true
    default: throw NotUnderstood("portability")
    }
  }

  static func isInitiator(_ role: String) throws -> Bool {
    switch role {
    case "initiator", "central": true
    case "responder", "peripheral": false
    default: throw NotUnderstood("dut_role \(role)")
    }
  }

  /// Whether the stack under test is to send what has this direction.
  static func isOwn(_ direction: String, _ isInitiator: Bool) throws -> Bool {
    switch direction {
    case "initiator_to_responder", "central_to_peripheral": isInitiator
    case "responder_to_initiator", "peripheral_to_central": !isInitiator
    default: throw NotUnderstood("dir \(direction)")
    }
  }

  /// The packets of the stack under test, which hold what it drew.
  static func packets(_ entries: [JSONValue], ofInitiator isInitiator: Bool) throws -> [SMPPDU] {
    try entries.compactMap { entry in
      let direction = try entry.text("dir")
      guard direction != "local", try isOwn(direction, isInitiator) else { return nil }
      do { return try SMPPDU(try entry.octets("hex")[...]) } catch { throw NotUnderstood("hex: \(error)") }
    }
  }

  private static func privateKey(_ test: JSONValue) throws -> P256PrivateKey? {
    guard test["dut_private_key_msb_first"] != nil else { return nil }
    guard let key = P256PrivateKey(scalar: try test.key("dut_private_key_msb_first")) else {
      throw NotUnderstood("dut_private_key_msb_first")
    }
    return key
  }
}
