import BLECore
import BLECrypto
import BLEWire

/// One pairing of the Security Manager in either role, without I/O (Core, Vol 3 Part H 2.3, appendix C): inputs go in, what
/// is to be done comes out. Time is an input; chance comes from a `PairingSource`.
///
/// A value: a copy goes on by itself, so that every state can be kept and tried with everything.
public struct Pairing {
  /// What comes next from the peer, or whom the pairing waits for.
  public enum Stage: Hashable, Sendable, CaseIterable {
    /// Before `.start` (initiator), or waiting for the Pairing Request (responder).
    case idle
    /// Waiting for the Pairing Response.
    case features
    /// The user is asked whether keys that are kept of the device at the peer's address may be replaced; nothing has been
    /// computed, and a responder has not answered.
    case consent
    case publicKey
    /// The initiator's user is asked; the peer has nothing to say.
    case user
    case confirm
    case random
    case check
    /// The link is about to be encrypted with the key of this pairing.
    case encryption
    /// Waiting for the peer's keys.
    case keys
    /// The user is asked whether keys that are kept of the device that the peer says it is may be replaced.
    case verdict
    /// Nothing is answered any more.
    case ended
  }

  public let parameters: PairingParameters
  public internal(set) var stage = Stage.idle
  /// What both sides have agreed on.
  public internal(set) var agreement: PairingAgreement?
  /// How good the keys are that come of this, once it has been agreed on.
  public var security: PairingSecurity? {
    agreement.map {
      PairingSecurity(
        method: $0.model.method, isSecureConnections: $0.isSecureConnections, keySize: $0.keySize,
        usesDebugKey: usesDebugKey)
    }
  }

  /// How good the link is as soon as it is encrypted; `nil` where that is not what comes next.
  var securityOnceEncrypted: PairingSecurity? { stage == .encryption && isLinkKeyInUse ? security : nil }
  /// What the peer says of itself, also where that was not good enough.
  public internal(set) var peerFeatures: SMPPairingFeatures?

  let source: any PairingSource
  var localFeatures: SMPPairingFeatures?
  var actions: [PairingAction] = []
  /// The question that has no answer yet.
  var question: PairingQuestion?
  var questionCount = 0
  /// A command that came while the user was asked. One, for the peer may not send two.
  var held: SMPPDU?

  /// What both sides know and nobody in the middle should: nil until the user has typed it.
  var passkey: SixDigits?
  var legacy: LegacyExchange?
  var secure: SecureConnectionsExchange?
  var usesDebugKey = false
  /// The key that encrypts this link: STK or LTK. There is none before both sides have proved themselves.
  var linkKey: SecretKey?
  /// The central has asked for the key of this pairing, or was told to begin.
  var isLinkKeyInUse = false
  var distribution = KeyDistributionState()
  /// The user has agreed that keys of this device are replaced.
  var replacedIdentity: DeviceAddress?

  public init(_ parameters: PairingParameters, source: any PairingSource) {
    self.parameters = parameters
    self.source = source
  }

  var isInitiator: Bool { parameters.role == .central }
  var policy: SecurityPolicy { parameters.policy }

  /// Takes one input to its end.
  public mutating func handle(_ input: PairingInput) -> [PairingAction] {
    if stage == .ended { return [] }
    switch input {
    case .start: if isInitiator, stage == .idle { sendRequest() }
    case .received(let pdu): take(pdu)
    case .receivedMalformed: if stage != .idle { refuse(.invalidParameters) }
    case .answered(let answer, let id): receive(answer, to: id)
    case .typed(let kind): tell(kind)
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

  /// The peripheral's answer to its controller, which wants the key for a link; `nil`: there is none by this name yet, and
  /// the answer is negative.
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
    // Reserved codes are ignored (3.3). A Security Request may cross a Pairing Request on its way.
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

  /// A command out of its order ends the pairing: nothing is skipped and nothing done twice.
  private mutating func receiveUnexpected() {
    // Before anything has begun there is nothing to end, and nothing is told to whoever tries.
    if stage != .idle { refuse(.unspecifiedReason) }
  }

  // MARK: What comes of it

  /// What has been computed so far, for checks against known pairings. Not for anything else.
  package var secrets: PairingSecrets {
    PairingSecrets(
      temporaryKey: legacy?.temporaryKey, dhKey: secure?.dhKey, macKey: secure?.macKey, linkKey: linkKey)
  }

  mutating func send(_ pdu: SMPPDU) { actions.append(.send(pdu)) }

  /// Tells the peer and ends.
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

  /// Keys wipe themselves with the last user who lets go.
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

// What a pairing remembers is secret until it is sent: only where it stands is printed.
extension Pairing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "pairing as \(parameters.role), \(stage)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["stage": stage]) }
}
