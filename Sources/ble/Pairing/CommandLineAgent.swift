import BLEPairing
import Synchronization

/// Answers pairing requests for the user of the tool: by the command line, otherwise by asking on the terminal.
///
/// A passkey to be displayed is printed like the command's results, so that it is visible without a terminal as well. `Sendable`: the
/// mutable state is protected by a mutex.
final class CommandLineAgent: PairingAgent {
  /// The answers that are known in advance.
  struct Rules: Sendable {
    var capability: PairingCapability?
    var passkey: String?
    var outOfBand: String?
    /// Out-of-band data that was already read from a pipe.
    var outOfBandData: PairingOutOfBandData?
    /// Whether the other device connects to this one.
    var isPeripheral = false
    /// Whether only a pairing with protection against a man in the middle is acceptable.
    var wantsAuthentication = false
    /// How a Just Works pairing that the other device has begun is answered.
    var incoming = IncomingPairing.ask
  }

  /// What the user is informed about.
  enum Notice: Sendable {
    case passkey(String, PairingRequest)
    case question(PairingRequest)
    case ended(PairingPeer, PairingOutcome)
    case remark(String)
  }

  private let rules = Mutex(Rules())
  /// The terminal, if the process is in its foreground.
  private let terminal = StandardPairingAgent()
  private let tell: @Sendable (Notice) -> Void

  init(_ tell: @escaping @Sendable (Notice) -> Void) { self.tell = tell }

  func change(_ body: (inout Rules) -> Void) { rules.withLock { body(&$0) } }

  /// Whether the tool runs on a terminal.
  var hasTerminal: Bool { terminal.capability != .noInputNoOutput }

  var capability: PairingCapability {
    let rules = rules.withLock { $0 }
    if let capability = rules.capability { return capability }
    // A passkey that is known in advance is typed by the central and displayed by the peripheral, as on a label.
    if rules.passkey != nil { return rules.isPeripheral ? .displayOnly : .keyboardOnly }
    return terminal.capability
  }

  var wantsAuthentication: Bool {
    let rules = rules.withLock { $0 }
    let isAsked = rules.wantsAuthentication || rules.passkey != nil || rules.capability != nil
    return isAsked && capability != .noInputNoOutput
  }

  func pairing(_ request: PairingRequest) {
    let rules = rules.withLock { $0 }
    let passkey = rules.passkey
    switch request.kind {
    case .displayPasskey(let digits): tell(.passkey(digits, request))
    case .confirmJustWorks where request.occasion == .wanted: request.accept()
    case .confirmJustWorks: permit(request, rules.incoming)
    case .enterPasskey:
      if let passkey { request.enter(passkey) } else { ask(request, "'--passkey' says them beforehand") }
    case .compare: ask(request, "there is no user to compare; '--passkey' and '--io' choose another way")
    case .replaceBond(of: let kept, _):
      ask(request, "'ble bonds remove \(kept.address)' removes the old keys; then it can be paired again")
    }
  }

  /// Answers a Just Works pairing that the other device has begun.
  private func permit(_ request: PairingRequest, _ incoming: IncomingPairing) {
    switch incoming {
    case .accept: request.accept()
    case .refuse: request.refuse()
    // Without input and output capabilities no question is asked.
    case .ask where hasTerminal && capability != .noInputNoOutput: tell(.question(request))
    case .ask:
      if request.occasion == .unasked {
        tell(
          .remark(
            "\(request.question.inert) It was not requested: refused; '--incoming accept' lets every device pair."))
      }
      request.answerUnattended()
    }
  }

  private func ask(_ request: PairingRequest, _ remedy: String) {
    if hasTerminal { return tell(.question(request)) }
    tell(.remark("\(request.question.inert) There is no terminal to ask on: refused; \(remedy)."))
    request.refuse()
  }

  /// Asks on the terminal itself, for commands that do not read the standard input.
  func askOnTerminal(_ request: PairingRequest) { terminal.pairing(request) }

  func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) { tell(.ended(peer, outcome)) }

  func pairing(with peer: PairingPeer, changedFrom before: PairingCapability?, to now: PairingCapability?) {
    tell(.remark("\(peer.title.inert) reports other input and output capabilities than before: is it the same device?"))
  }

  func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandData? {
    let (data, path) = rules.withLock { ($0.outOfBandData, $0.outOfBand) }
    if let data { return data }
    guard let path else { return nil }
    do throws(ToolError) {
      return try OutOfBandFile.read(path)
    } catch {
      tell(.remark("\(error.message): pairing without it."))
      return nil
    }
  }
}
