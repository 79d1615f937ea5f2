import BLECore
import BLECrypto
import BLEHost
import BLEWire

/// One pairing of the file, played against the stack's state machine.
struct PairingRun {
  private var pairing: Pairing
  private let source: ScriptedPairingSource
  private let userInput: JSONValue?
  private(set) var sent: [[UInt8]] = []
  private(set) var keyToStart: SecretKey?
  private(set) var result: PairingResult?
  private(set) var failure: PairingFailure?
  private(set) var displayed: String?

  init(
    role: LinkRole, local: DeviceAddress, peer: DeviceAddress, source: ScriptedPairingSource,
    outOfBand: OutOfBandExchange, userInput: JSONValue?
  ) {
    self.source = source
    self.userInput = userInput
    let identity = source.identity ?? LocalIdentity(address: local, identityResolvingKey: SecretKey(.zero))
    pairing = Pairing(
      PairingParameters(
        role: role, localAddress: local, peerAddress: peer, policy: source.policy, identity: identity,
        outOfBand: outOfBand),
      source: source)
  }

  var agreement: PairingAgreement? { pairing.agreement }
  var secrets: PairingSecrets { pairing.secrets }

  mutating func start() throws { try run(.start) }

  mutating func receive(_ octets: [UInt8]) throws { try run(.received(try SMPPDU(octets[...]))) }

  /// The key that the link is encrypted with now, as the stack names it.
  mutating func encrypt() throws -> SecretKey? {
    let key = keyToStart ?? pairing.longTermKey(encryptedDiversifier: 0, randomNumber: 0)
    try run(.encryptionChanged(isEncrypted: true))
    return key
  }

  /// What was sent and not yet taken.
  mutating func takeSent() -> [UInt8]? { sent.isEmpty ? nil : sent.removeFirst() }

  private mutating func run(_ input: PairingInput) throws {
    for action in pairing.handle(input) {
      switch action {
      case .send(let pdu): sent.append(pdu.octets)
      case .ask(let question): try answer(question)
      case .peerTyped: break
      case .startEncryption(let key): keyToStart = key
      case .finished(let result): self.result = result
      case .failed(let failure): self.failure = failure
      }
    }
  }

  private mutating func answer(_ question: PairingQuestion) throws {
    let action = try userInput?.text("action")
    switch question.kind {
    case .displayPasskey(let digits):
      guard action == "display" else { throw AttributeVectors.NotUnderstood("user_input for a display") }
      displayed = digits
    case .enterPasskey:
      guard action == "input", let digits = try userInput?.text("passkey") else {
        throw AttributeVectors.NotUnderstood("user_input for an entry")
      }
      try run(.answered(.passkey(digits), to: question.id))
    case .compare(let digits):
      guard action == "numcmp" else { throw AttributeVectors.NotUnderstood("user_input for a comparison") }
      displayed = digits
      try run(.answered(.yes, to: question.id))
    case .confirmJustWorks, .replaceBond: throw AttributeVectors.NotUnderstood("a question without an answer")
    }
  }
}
