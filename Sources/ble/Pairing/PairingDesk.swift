import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEHost
import BLEPairing
import BLEProfileFiles
import Dispatch
import Foundation

/// The pairings of one run of the tool: the agent that answers, the output, and the last outcome.
@MainActor final class PairingDesk {
  private let options: PairingOptions
  private let output: Output
  private let waiting: Waiting
  private var agent: CommandLineAgent?
  private var policy = SecurityPolicy()
  /// A question that waits for a typed line, in commands that read the standard input.
  private var question: PairingRequest?
  private static weak var current: PairingDesk?

  /// Whether the command prints events: then pairings are printed as events.
  var isStream = false
  /// Whether the command itself reports the end of a pairing.
  var leavesEnds = false
  /// The number of pairings that have ended, and the last outcome.
  private(set) var ended: (count: Int, last: PairingOutcome?) = (0, nil)

  init(_ options: PairingOptions, _ output: Output, _ waiting: Waiting) {
    self.options = options
    self.output = output
    self.waiting = waiting
  }

  /// This process's stack, if it is one of this project.
  static var stack: HostStack? { DefaultStack.adapter as? HostStack }

  /// Registers the agent.
  func begin() throws(ToolError) {
    if options.outOfBand != nil { try Self.refuseOnSystem("'--oob'", "takes no data out of band") }
    if options.makeOutOfBand != nil { try Self.refuseOnSystem("'--make-oob'", "takes no data out of band") }
    let agent = CommandLineAgent { [weak self] notice in
      onMain { self?.tell(notice) }
    }
    self.agent = agent
    Self.current = self
    agent.change { rules in
      rules.capability = options.capability
      rules.passkey = options.passkey?.digits
      rules.outOfBand = options.outOfBand
      rules.incoming = options.incoming
    }
    PairingAgents.register(agent)
    // Errors in the file are reported now. A file that does not exist yet may be written by the other device meanwhile.
    if let path = options.outOfBand, options.makeOutOfBand == nil || FileManager.default.fileExists(atPath: path) {
      let data = try OutOfBandFile.read(path, mayWait: true)
      if OutOfBandFile.isPipe(path) { agent.change { rules in rules.outOfBandData = data } }
      // A temporary key alone is useful in legacy pairing only, and the initiator has to decide that before it knows the other side.
      if data.temporaryKey != nil, data.peer == nil { policy.offersSecureConnections = false }
    }
    policy.fixedPasskey = options.passkey
    if options.passkey != nil || !policy.offersSecureConnections { Self.stack?.setSecurityPolicy(policy) }
  }

  /// Writes out-of-band data if the command line requests it.
  func makeOutOfBandData() async throws(ToolError) {
    guard let path = options.makeOutOfBand, let stack = Self.stack else { return }
    try OutOfBandFile.write(try await waiting.answer { stack.makeOutOfBandData($0) }, to: path)
  }

  /// Configures pairing for a peripheral: by the profile's requirements, which the command line overrides.
  func serve(_ requirements: SecurityRequirements?) throws(ToolError) {
    isStream = true
    var wanted = requirements ?? SecurityRequirements()
    wanted.capability = options.capability ?? wanted.capability
    wanted.passkey = options.passkey ?? wanted.passkey
    // A passkey that is only typed answers the daemon's question.
    if wanted.passkey != nil, wanted.capability != .keyboardOnly {
      try Self.refuseOnSystem("a passkey that is shown", "generates the passkeys that are shown")
    }
    if wanted.minimumLevel ?? .encrypted > .encrypted {
      try Self.refuseOnSystem("a 'minimum_level' above encrypted", "does not report the security of its keys")
    }
    agent?.change { rules in
      rules.isPeripheral = true
      rules.capability = wanted.capability
      rules.passkey = wanted.passkey?.digits
      rules.wantsAuthentication = (wanted.minimumLevel ?? .encrypted) >= .authenticated
    }
    policy.fixedPasskey = wanted.passkey
    if let level = wanted.minimumLevel {
      policy.minimumLevel = level
      policy.requiresSecureConnections = level == .authenticatedSecureConnections
    }
    if wanted.passkey != nil || wanted.minimumLevel != nil { Self.stack?.setSecurityPolicy(policy) }
  }

  /// Refuses what the system's daemon does not support, so that no pairing is weaker than requested.
  private static func refuseOnSystem(_ wish: String, _ reason: String) throws(ToolError) {
    guard DefaultStack.adapter is any SystemPairing else { return }
    throw ToolError(.unavailable, "The Bluetooth daemon \(reason): \(wish) needs --adapter hci.")
  }

  /// Whether a typed line was the answer to a question about a pairing.
  static func takes(_ line: String) -> Bool { current?.take(line) ?? false }

  private func take(_ line: String) -> Bool {
    guard let question else { return false }
    if question.isOver {
      self.question = nil
      return false
    }
    if question.answer(typed: line) {
      self.question = nil
    } else {
      ask(question)
    }
    return true
  }

  private func ask(_ request: PairingRequest) {
    question = request
    Output.complain(request.question.inert)
  }

  private func tell(_ notice: CommandLineAgent.Notice) {
    switch notice {
    case .question(let request):
      // Timeouts are suspended while the user is asked.
      waiting.isHeld = true
      if LineInput.current != nil { ask(request) } else { agent?.askOnTerminal(request) }
    case .passkey(let digits, let request):
      waiting.isHeld = true
      tell("passkey", request.peer, ["passkey": .string(digits)], request.question.inert)
    case .remark(let text): output.note(text)
    case .ended(let peer, let outcome):
      waiting.isHeld = false
      question = nil
      ended = (ended.count + 1, outcome)
      tell(peer, outcome)
      waiting.changed()
    }
  }

  private func tell(_ peer: PairingPeer, _ outcome: PairingOutcome) {
    if leavesEnds { return }
    let title = peer.title.inert
    switch outcome {
    case .paired(let method, let isBonded):
      let sentence = "Paired with \(title) by \(method.rawValue)\(isBonded ? "." : "; the keys are not kept.")"
      let members: KeyValuePairs<String, JSONValue> = ["method": .string(method.word), "bonded": .bool(isBonded)]
      if isStream { tell("paired", peer, members, sentence) } else { output.note(sentence) }
    case .failed(let reason):
      let sentence = "Pairing with \(title) failed: \(reason.inert)."
      if isStream { tell("pairing-failed", peer, ["reason": .string(reason)], sentence) } else { output.note(sentence) }
    }
  }

  /// Prints an event if the command prints events, otherwise a line to the standard error.
  private func tell(
    _ event: String, _ peer: PairingPeer, _ members: KeyValuePairs<String, JSONValue>, _ sentence: String
  ) {
    if !isStream { return Output.complain(sentence) }
    let who: KeyValuePairs<String, JSONValue> = [
      "address": .string(peer.address.description), "name": .string(orNull: peer.name),
    ]
    output.event(event, JSONValue.object(members).preceded(by: who), sentence)
  }
}

extension PairingMethod {
  /// The word for the method in JSON.
  var word: String {
    switch self {
    case .justWorks: "just-works"
    case .passkeyEntry: "passkey-entry"
    case .numericComparison: "numeric-comparison"
    case .outOfBand: "out-of-band"
    }
  }
}
