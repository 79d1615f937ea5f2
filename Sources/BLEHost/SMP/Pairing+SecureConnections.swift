import BLECore
import BLECrypto
import BLEWire

/// The state of phase 2 of Secure Connections.
struct SecureConnectionsExchange {
  let keyPair: P256PrivateKey
  var peerKey: P256PublicKey?
  var dhKey: SecretKey?
  var localNonce: AESBlock?
  var peerNonce: AESBlock?
  var peerConfirm: AESBlock?
  /// The number of passkey bits verified, 0 to 20.
  var round = 0
  var macKey: SecretKey?
  var longTermKey: SecretKey?

  /// The number of bits of a passkey.
  static let rounds = 20
}

/// Phase 2 of Secure Connections: public key exchange and authentication stage 1 (Core, Vol 3 Part H 2.3.5.6).
extension Pairing {
  mutating func beginSecureConnections() {
    let exchange = SecureConnectionsExchange(keyPair: parameters.outOfBand.local?.keyPair ?? source.keyPair())
    secure = exchange
    stage = .publicKey
    if isInitiator { sendPublicKey(exchange.keyPair.publicKey) }
  }

  private mutating func sendPublicKey(_ key: P256PublicKey) {
    send(.pairingPublicKey(SMPPairingPublicKey(x: key.x.reversed()[...], y: key.y.reversed()[...])))
  }

  mutating func receivePublicKey(_ packet: SMPPairingPublicKey) {
    guard let own = secure?.keyPair, let agreement else { return refuse(.unspecifiedReason) }
    // A point is used only after it is validated, and if it is neither this side's own nor its inverse.
    guard let key = P256PublicKey(leastSignificantFirstX: packet.x, y: packet.y) else {
      return refuse(.invalidParameters)
    }
    if key.isDebugKey, !policy.allowsDebugKey { return refuse(.invalidParameters) }
    if key.x == own.publicKey.x, !key.isDebugKey { return refuse(.invalidParameters) }
    if case .outOfBand = agreement.model, let objection = outOfBandObjection(to: key, agreement) {
      return refuse(objection)
    }
    usesDebugKey = key.isDebugKey || own.publicKey.isDebugKey
    // With the debug key, which is public, a pairing is not authenticated.
    if let security, security.level < policy.minimumLevel { return refuse(.authenticationRequirements) }
    secure?.peerKey = key
    secure?.dhKey = own.sharedSecret(with: key)
    if !isInitiator { sendPublicKey(own.publicKey) }
    switch agreement.model {
    case .justWorks, .numericComparison: beginComparison()
    case .passkeyEntry(let entry):
      stage = isInitiator ? .user : .confirm
      beginPasskeyEntry(entry)
      if question == nil { resumeSecureConnections() }
    case .outOfBand:
      stage = .random
      if isInitiator { sendRandom() }
    }
  }

  private func outOfBandObjection(to key: P256PublicKey, _ agreement: PairingAgreement) -> SMPPairingFailedReason? {
    let exchange = parameters.outOfBand
    let (local, peer) =
      isInitiator
      ? (agreement.initiatorFeatures, agreement.responderFeatures)
      : (agreement.responderFeatures, agreement.initiatorFeatures)
    if peer.oobDataFlag == 1, exchange.local == nil { return .oobNotAvailable }
    if local.oobDataFlag == 1 {
      guard let data = exchange.peer else { return .oobNotAvailable }
      if !data.commits(to: key) { return .confirmValueFailed }
    }
    return nil
  }

  /// Just Works and Numeric Comparison: the responder sends its commitment first.
  private mutating func beginComparison() {
    stage = isInitiator ? .confirm : .random
    guard !isInitiator else { return }
    sendConfirm(z: 0)
  }

  /// Continues after the user's answer, or without a question.
  mutating func resumeSecureConnections() {
    if passkey != nil {
      if isInitiator, stage == .user { sendConfirm(z: passkeyBit) }
    } else {
      deriveAndCheck()
    }
  }

  /// Generates a nonce and sends the commitment to it.
  private mutating func sendConfirm(z: UInt8) {
    let nonce = source.nonce()
    guard let own = secure?.keyPair.publicKey, let peer = secure?.peerKey else { return refuse(.unspecifiedReason) }
    secure?.localNonce = nonce
    if isInitiator { stage = .confirm }
    let confirm = SecurityToolbox.f4(u: own.x, v: peer.x, x: nonce, z: z)
    send(.pairingConfirm(SMPPairingConfirm(confirmValue: confirm.leastSignificantFirst[...])))
  }

  private mutating func sendRandom() {
    let nonce = secure?.localNonce ?? source.nonce()
    secure?.localNonce = nonce
    send(.pairingRandom(SMPPairingRandom(randomValue: nonce.leastSignificantFirst[...])))
  }

  /// 0x80 or 0x81: the bit of the passkey for this round, the least significant first.
  private var passkeyBit: UInt8 {
    guard let passkey, let secure else { return 0x80 }
    return 0x80 | UInt8(truncatingIfNeeded: passkey.value >> UInt32(secure.round) & 1)
  }

  mutating func receiveSecureConfirm(_ value: AESBlock) {
    secure?.peerConfirm = value
    stage = .random
    if isInitiator { sendRandom() } else { sendConfirm(z: passkeyBit) }
  }

  mutating func receiveSecureRandom(_ value: AESBlock) {
    guard let agreement else { return refuse(.unspecifiedReason) }
    secure?.peerNonce = value
    switch agreement.model {
    case .justWorks, .numericComparison:
      if isInitiator {
        guard isPeerConfirmRight(value, z: 0) else { return refuse(.confirmValueFailed) }
        stage = .user
      } else {
        sendRandom()
        stage = .check
      }
      compare(agreement)
    case .passkeyEntry:
      guard isPeerConfirmRight(value, z: passkeyBit) else { return refuse(.confirmValueFailed) }
      if !isInitiator { sendRandom() }
      nextRound()
    case .outOfBand:
      if !isInitiator { sendRandom() }
      deriveAndCheck()
    }
  }

  private mutating func nextRound() {
    let round = (secure?.round ?? 0) + 1
    secure?.round = round
    secure?.peerConfirm = nil
    if round == SecureConnectionsExchange.rounds { return deriveAndCheck() }
    secure?.localNonce = nil
    secure?.peerNonce = nil
    if isInitiator { sendConfirm(z: passkeyBit) } else { stage = .confirm }
  }

  private func isPeerConfirmRight(_ nonce: AESBlock, z: UInt8) -> Bool {
    guard let secure, let peer = secure.peerKey, let confirm = secure.peerConfirm else { return false }
    let expected = SecurityToolbox.f4(u: peer.x, v: secure.keyPair.publicKey.x, x: nonce, z: z)
    return AESBlock.constantTimeEquals(expected, confirm)
  }

  private mutating func compare(_ agreement: PairingAgreement) {
    guard let secure, let peer = secure.peerKey, let local = secure.localNonce, let remote = secure.peerNonce else {
      return refuse(.unspecifiedReason)
    }
    if agreement.model == .numericComparison {
      let own = secure.keyPair.publicKey.x
      let number =
        isInitiator
        ? SecurityToolbox.g2(u: own, v: peer.x, x: local, y: remote)
        : SecurityToolbox.g2(u: peer.x, v: own, x: remote, y: local)
      ask(.compare(SixDigits(lowest: number).digits))
    } else if asksBeforeJustWorks {
      ask(.confirmJustWorks)
    }
    if question == nil { resumeSecureConnections() }
  }
}
