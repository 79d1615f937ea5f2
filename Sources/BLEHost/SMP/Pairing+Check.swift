import BLECore
import BLECrypto
import BLEWire

/// Authentication stage 2 of Secure Connections: key derivation and DHKey checks (Core, Vol 3 Part H 2.3.5.6.5).
extension Pairing {
  mutating func deriveAndCheck() {
    guard let secure, let dhKey = secure.dhKey, let local = secure.localNonce, let peer = secure.peerNonce,
      let agreement
    else { return refuse(.unspecifiedReason) }
    let keys =
      isInitiator
      ? SecurityToolbox.f5(
        w: dhKey, n1: local, n2: peer, a1: parameters.localAddress, a2: parameters.peerAddress)
      : SecurityToolbox.f5(
        w: dhKey, n1: peer, n2: local, a1: parameters.peerAddress, a2: parameters.localAddress)
    self.secure?.macKey = keys.macKey
    self.secure?.longTermKey = LongTermKey.shortened(keys.ltk, toSize: agreement.keySize)
    stage = .check
    if isInitiator { sendCheck() }
  }

  private mutating func sendCheck() {
    guard let check = check(of: .local) else { return refuse(.unspecifiedReason) }
    send(.pairingDHKeyCheck(SMPPairingDHKeyCheck(dhKeyCheck: check.leastSignificantFirst[...])))
  }

  mutating func receiveCheck(_ value: AESBlock) {
    guard let expected = check(of: .peer), let key = secure?.longTermKey else { return refuse(.unspecifiedReason) }
    guard AESBlock.constantTimeEquals(value, expected) else { return refuse(.dhKeyCheckFailed) }
    if !isInitiator { sendCheck() }
    encrypt(with: key)
  }

  private enum Side { case local, peer }

  /// Returns the check value E of one side, whose nonce, features and address come first.
  private func check(of side: Side) -> AESBlock? {
    guard let secure, let macKey = secure.macKey, let local = secure.localNonce, let peer = secure.peerNonce,
      let agreement
    else { return nil }
    let isInitiators = isInitiator == (side == .local)
    let features = isInitiators ? agreement.initiatorFeatures : agreement.responderFeatures
    let own = side == .local
    return SecurityToolbox.f6(
      w: macKey, n1: own ? local : peer, n2: own ? peer : local, r: checkRandom(of: side, features, agreement),
      ioCap: (features.authenticationRequirements.rawValue, features.oobDataFlag, features.ioCapability.rawValue),
      a1: own ? parameters.localAddress : parameters.peerAddress,
      a2: own ? parameters.peerAddress : parameters.localAddress)
  }

  /// Returns r: the passkey, or the random value that this side has received from the other out of band.
  private func checkRandom(
    of side: Side, _ features: SMPPairingFeatures, _ agreement: PairingAgreement
  ) -> AESBlock {
    switch agreement.model {
    case .passkeyEntry: return passkey?.block ?? .zero
    case .outOfBand:
      if features.oobDataFlag != 1 { return .zero }
      return (side == .local ? parameters.outOfBand.peer?.random : parameters.outOfBand.local?.random) ?? .zero
    case .justWorks, .numericComparison: return .zero
    }
  }

  /// Starts the encryption with the key of this pairing, after authentication.
  mutating func encrypt(with key: SecretKey) {
    // A key of zeros was never derived, for whatever reason.
    if key.isZero { return refuse(.unspecifiedReason) }
    linkKey = key
    stage = .encryption
    if isInitiator {
      isLinkKeyInUse = true
      actions.append(.startEncryption(key))
    }
  }
}
