import BLEAdapter
import BLECore
import BLEDefaultStack
import BLEHost
import BLEPairing
import BLEProfileFiles
import Dispatch
import Foundation

/// Where a run of the tool deals with pairings: who answers, what is told, and how the last one ended.
@MainActor final class PairingDesk {
  private let options: PairingOptions
  private let output: Output
  private let waiting: Waiting
  private var agent: CommandLineAgent?
  private var policy = SecurityPolicy()
  /// Waits for a line of somebody who reads what is typed.
  private var question: PairingRequest?
  private static weak var current: PairingDesk?

  /// The command tells what happens line by line: so are pairings told.
  var isStream = false
  /// The command says itself how a pairing ended.
  var leavesEnds = false
  /// How many pairings have ended so far, and how the last one did.
  private(set) var ended: (count: Int, last: PairingOutcome?) = (0, nil)

  init(_ options: PairingOptions, _ output: Output, _ waiting: Waiting) {
    self.options = options
    self.output = output
    self.waiting = waiting
  }

  /// The stack of this process, where it is one of ours.
  static var stack: HostStack? { DefaultStack.adapter as? HostStack }

  /// From here on the tool answers.
  func begin() throws(ToolError) {
    if options.outOfBand != nil { try Self.refuseOnSystem("'--oob'", "takes no data out of band") }
    if options.makeOutOfBand != nil { try Self.refuseOnSystem("'--make-oob'", "takes no data out of band") }
    let agent = CommandLineAgent { [weak self] notice in
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.tell(notice) } }
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
    // A mistake in the file is told now. One that is not there yet may be written by the other device meanwhile.
    if let path = options.outOfBand, options.makeOutOfBand == nil || FileManager.default.fileExists(atPath: path) {
      let data = try OutOfBandFile.read(path, mayWait: true)
      if OutOfBandFile.isPipe(path) { agent.change { rules in rules.outOfBandData = data } }
      // A temporary key alone is of use in legacy pairing only: who begins a pairing has to decide before it knows the other.
      if data.temporaryKey != nil, data.peer == nil { policy.offersSecureConnections = false }
    }
    policy.fixedPasskey = options.passkey
    if options.passkey != nil || !policy.offersSecureConnections { Self.stack?.setSecurityPolicy(policy) }
  }

  /// Writes out-of-band data where that was asked for.
  func makeOutOfBandData() async throws(ToolError) {
    guard let path = options.makeOutOfBand, let stack = Self.stack else { return }
    try OutOfBandFile.write(try await waiting.answer { stack.makeOutOfBandData($0) }, to: path)
  }

  /// This side is connected to, and a profile says what it insists on; the command line says more.
  func serve(_ requirements: SecurityRequirements?) throws(ToolError) {
    isStream = true
    var wanted = requirements ?? SecurityRequirements()
    wanted.capability = options.capability ?? wanted.capability
    wanted.passkey = options.passkey ?? wanted.passkey
    // One that is only typed is an answer to the daemon's question.
    if wanted.passkey != nil, wanted.capability != .keyboardOnly {
      try Self.refuseOnSystem("a passkey that is shown", "makes up the passkeys that are shown")
    }
    if wanted.minimumLevel ?? .encrypted > .encrypted {
      try Self.refuseOnSystem("a 'minimum_level' above encrypted", "does not say how good its keys are")
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

  /// Refuses what an adapter whose daemon pairs cannot do, so that no pairing is weaker than was asked for.
  private static func refuseOnSystem(_ wish: String, _ reason: String) throws(ToolError) {
    guard DefaultStack.adapter is any SystemPairing else { return }
    throw ToolError(.unavailable, "The Bluetooth daemon \(reason): \(wish) needs --adapter hci.")
  }

  /// Whether a line that was typed at the terminal answered a question about a pairing, and nothing else.
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
      // Users take their time: the command waits for them.
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

  /// An event where events are what the command prints, else a line on the standard error.
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
  /// The word for it in JSON.
  var word: String {
    switch self {
    case .justWorks: "just-works"
    case .passkeyEntry: "passkey-entry"
    case .numericComparison: "numeric-comparison"
    case .outOfBand: "out-of-band"
    }
  }
}
