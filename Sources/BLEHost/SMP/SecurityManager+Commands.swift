import BLECore
import BLECrypto
import BLEPairing
import BLEWire

/// Calls of this side.
extension SecurityManager {
  /// Starts a pairing (central), or sends a Security Request (peripheral).
  ///
  /// - Parameter level: the level that the pairing must reach, if higher than the policy's minimum.
  /// - Throws: if the pairing cannot start now. Later failures are reported to the delegate.
  public func pair(minimumLevel level: SecurityLevel = .encrypted) throws(PairingFailure) {
    try pair(minimumLevel: level, isRequestedLocally: true)
  }

  /// - Parameter isRequestedLocally: false if the peer requested the pairing.
  func pair(minimumLevel level: SecurityLevel, isRequestedLocally: Bool) throws(PairingFailure) {
    if isClosed { throw .timedOut }
    if isPairing || isEncrypting || requestedLevel != nil { throw .busy }
    if let delay = local.attempts.delay(of: peerIdentity, at: loop.now) { throw .tooSoon(delay) }
    try delegate?.securityManagerWillPair(self)
    switch role {
    case .central: begin(minimumLevel: level, isRequestedLocally: isRequestedLocally, first: .start)
    case .peripheral:
      requestedLevel = level
      isSecurityRequestLocal = isRequestedLocally
      var requirements = local.policy.authenticationRequirements
      if level >= .authenticated { requirements.insert(.mitm) }
      send(.securityRequest(SMPSecurityRequest(authenticationRequirements: requirements)))
    }
  }

  /// Encrypts the link, as the central, with the keys of the bond. Returns false if there is no acceptable key, or if a pairing or
  /// encryption is in progress.
  public func encryptWithBond() -> Bool {
    guard role == .central, !isClosed, !isPairing, !isEncrypting, let key = usableBond?.keyAsCentral,
      !key.key.isZero
    else { return false }
    keyOwner = .bond
    isEncrypting = true
    delegate?.securityManager(self, encryptsWith: key)
    return true
  }

  /// Passes on the user's answer; ignored if the question is not open.
  public func answer(_ answer: PairingRequest.Answer, to question: PairingQuestion.ID) {
    run(.answered(answer, to: question))
  }

  /// Sends a keypress notification: the user types a passkey.
  public func typed(_ keypress: PairingKeypress) { run(.typed(keypress)) }

  /// Cancels the current pairing.
  public func cancel() { run(.cancelled) }
}

/// Events of the controller.
extension SecurityManager {
  /// Returns the key that the peripheral's controller requests; `nil` for a negative reply.
  public func longTermKey(encryptedDiversifier: UInt16, randomNumber: UInt64) -> SecretKey? {
    guard role == .peripheral, !isClosed else { return nil }
    if pairing != nil {
      // During a pairing only its own key is used, once it is derived.
      let key = pairing?.longTermKey(encryptedDiversifier: encryptedDiversifier, randomNumber: randomNumber)
      if key != nil { keyOwner = .pairing }
      return key
    }
    guard let key = usableBond?.keyAsPeripheral, key.encryptedDiversifier == encryptedDiversifier,
      key.randomNumber == randomNumber, !key.key.isZero
    else { return nil }
    keyOwner = .bond
    return key.key
  }

  /// Handles a change of the encryption, or a failure to encrypt.
  public func encryptionChanged(isEncrypted: Bool) {
    isEncrypting = false
    // Keys that the policy has ceased to accept in the meantime count as no encryption.
    if !isEncrypted || keyOwner == .bond && usableBond == nil {
      security = nil
      let wasOfBond = keyOwner == .bond
      keyOwner = .none
      delegate?.securityManagerDidChangeSecurity(self)
      if pairing != nil {
        run(.encryptionChanged(isEncrypted: false))
      } else if wasOfBond {
        delegate?.securityManager(self, didFail: .bondFailed)
      }
      return
    }
    switch keyOwner {
    case .pairing: security = pairing?.securityOnceEncrypted ?? security
    case .bond: security = usableBond?.security
    // Encrypted with a key that this security manager did not provide: its security is unknown.
    case .none: return
    }
    if keyOwner == .bond, requestedLevel != nil {
      requestedLevel = nil
      stopTimer()
    }
    delegate?.securityManagerDidChangeSecurity(self)
    if keyOwner == .pairing { run(.encryptionChanged(isEncrypted: true)) }
  }
}
