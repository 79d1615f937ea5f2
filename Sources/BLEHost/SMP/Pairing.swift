import BLECore
import BLECrypto
import BLEWire

/// One pairing of the Security Manager in either role, as a state machine without I/O (Core, Vol 3 Part H 2.3, appendix C): it
/// takes inputs and returns actions. Time is an input; random numbers come from a `PairingSource`.
///
/// A value type: tests can copy any state and try each input on it.
public struct Pairing {
  /// The command expected from the peer, or what else the pairing waits for.
  public enum Stage: Hashable, Sendable, CaseIterable {
    /// Before `.start` (initiator), or waiting for the Pairing Request (responder).
    case idle
    /// Waiting for the Pairing Response.
    case features
    /// The user is asked whether the bond with the device at the peer's address may be replaced; nothing has been computed, and a
    /// responder has not answered.
    case consent
    case publicKey
    /// The initiator's user is asked; no command of the peer is expected.
    case user
    case confirm
    case random
    case check
    /// The link is about to be encrypted with the key of this pairing.
    case encryption
    /// Waiting for the peer's keys.
    case keys
    /// The user is asked whether the bond with the identity that the peer has distributed may be replaced.
    case identityConsent
    /// All inputs are ignored.
    case ended
  }

  public let parameters: PairingParameters
  public internal(set) var stage = Stage.idle
  /// The features of both sides, once exchanged and accepted.
  public internal(set) var agreement: PairingAgreement?
  /// The security of the resulting keys, once there is an agreement.
  public var security: PairingSecurity? {
    agreement.map {
      PairingSecurity(
        method: $0.model.method, isSecureConnections: $0.isSecureConnections, keySize: $0.keySize,
        usesDebugKey: usesDebugKey)
    }
  }

  /// The security of the link once it is encrypted with the key of this pairing; `nil` outside of that stage.
  var securityOnceEncrypted: PairingSecurity? { stage == .encryption && isLinkKeyInUse ? security : nil }
  /// The peer's features, also if they were refused.
  public internal(set) var peerFeatures: SMPPairingFeatures?

  let source: any PairingSource
  var localFeatures: SMPPairingFeatures?
  var actions: [PairingAction] = []
  /// The question that is not answered yet.
  var question: PairingQuestion?
  var questionCount = 0
  /// A command received while the user is asked. Only one, because the peer may not send another.
  var held: SMPPDU?

  /// The passkey, once it is generated or typed.
  var passkey: SixDigits?
  var legacy: LegacyExchange?
  var secure: SecureConnectionsExchange?
  var usesDebugKey = false
  /// The key that encrypts this link, STK or LTK; `nil` before authentication is complete.
  var linkKey: SecretKey?
  /// Whether the key of this pairing was passed to the controller.
  var isLinkKeyInUse = false
  var distribution = KeyDistributionState()
  /// The identity of the bond that the user has agreed to replace.
  var replacedIdentity: DeviceAddress?

  public init(_ parameters: PairingParameters, source: any PairingSource) {
    self.parameters = parameters
    self.source = source
  }

  var isInitiator: Bool { parameters.role == .central }
  var policy: SecurityPolicy { parameters.policy }

  /// Handles one input and returns the actions to perform.
  public mutating func handle(_ input: PairingInput) -> [PairingAction] {
    if stage == .ended { return [] }
    switch input {
    case .start: if isInitiator, stage == .idle { sendRequest() }
    case .received(let pdu): take(pdu)
    case .receivedMalformed: if stage != .idle { refuse(.invalidParameters) }
    case .answered(let answer, let id): receive(answer, to: id)
    case .typed(let kind): sendKeypress(kind)
    case .encryptionChanged(let isEncrypted): encryptionChanged(isEncrypted)
    case .timedOut: end(.timedOut)
    case .cancelled:
      if stage != .idle { send(.pairingFailed(SMPPairingFailed(reason: cancellationReason))) }
      end(.cancelled)
    case .disconnected: end(.disconnected)
    }
    defer { actions = [] }
    return actions
  }

  /// Returns the peripheral's key for a request of its controller; `nil` for a negative reply, because the key is not this
  /// pairing's or not derived yet.
  public mutating func longTermKey(encryptedDiversifier: UInt16, randomNumber: UInt64) -> SecretKey? {
    guard stage == .encryption, !isInitiator, encryptedDiversifier == 0, randomNumber == 0, let linkKey else {
      return nil
    }
    isLinkKeyInUse = true
    return linkKey
  }

  mutating func take(_ pdu: SMPPDU) {
    switch pdu {
    case .pairingFailed(let packet):
      if stage != .idle { end(.refusedByPeer(packet.reason)) }
    // Reserved codes are ignored (3.3). A Security Request may cross a Pairing Request in flight.
    case .unknown: break
    case .securityRequest where isInitiator: break
    case .pairingKeypressNotification(let packet): receiveKeypress(packet.kind)
    case .pairingRequest(let packet) where stage == .idle && !isInitiator: receiveRequest(packet.features)
    case .pairingResponse(let packet) where stage == .features: receiveResponse(packet.features)
    case .pairingPublicKey(let packet) where stage == .publicKey: receivePublicKey(packet)
    case .pairingConfirm where stage == .confirm && question != nil && held == nil: held = pdu
    case .pairingDHKeyCheck where stage == .check && question != nil && held == nil: held = pdu
    case .pairingConfirm(let packet) where stage == .confirm && question == nil:
      guard let value = AESBlock(leastSignificantFirst: packet.confirmValue) else { return refuse(.invalidParameters) }
      if legacy != nil { receiveLegacyConfirm(value) } else { receiveSecureConfirm(value) }
    case .pairingRandom(let packet) where stage == .random:
      guard let value = AESBlock(leastSignificantFirst: packet.randomValue) else { return refuse(.invalidParameters) }
      if legacy != nil { receiveLegacyRandom(value) } else { receiveSecureRandom(value) }
    case .pairingDHKeyCheck(let packet) where stage == .check && question == nil:
      guard let value = AESBlock(leastSignificantFirst: packet.dhKeyCheck) else { return refuse(.invalidParameters) }
      receiveCheck(value)
    case .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
      .signingInformation:
      if stage == .keys { receiveKey(pdu) } else { receiveUnexpected() }
    default: receiveUnexpected()
    }
  }

  /// A command out of order ends the pairing, so that no step is skipped or repeated.
  private mutating func receiveUnexpected() {
    // Before the pairing has begun the command is ignored without an answer.
    if stage != .idle { refuse(.unspecifiedReason) }
  }

  // MARK: Results

  /// The secrets computed so far, only for tests with known vectors.
  package var secrets: PairingSecrets {
    PairingSecrets(
      temporaryKey: legacy?.temporaryKey, dhKey: secure?.dhKey, macKey: secure?.macKey, linkKey: linkKey)
  }

  mutating func send(_ pdu: SMPPDU) { actions.append(.send(pdu)) }

  /// Sends Pairing Failed and ends.
  mutating func refuse(_ reason: SMPPairingFailedReason) {
    send(.pairingFailed(SMPPairingFailed(reason: reason)))
    end(.refused(reason))
  }

  mutating func end(_ failure: PairingFailure) {
    forgetSecrets()
    actions.append(.failed(failure))
  }

  mutating func finish(_ result: PairingResult) {
    forgetSecrets()
    actions.append(.finished(result))
  }

  /// Releases the keys, which are wiped with their last reference.
  private mutating func forgetSecrets() {
    stage = .ended
    question = nil
    held = nil
    passkey = nil
    legacy = nil
    secure = nil
    linkKey = nil
    distribution = KeyDistributionState()
  }
}

// The state of a pairing contains secrets, so only the role and the stage are printed.
extension Pairing: Redacted {
  public var description: String { "pairing as \(parameters.role), \(stage)" }
}
