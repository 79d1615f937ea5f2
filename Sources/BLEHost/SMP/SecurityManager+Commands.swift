import BLECore
import BLECrypto
import BLEWire

/// What this side wants.
extension SecurityManager {
  /// Begins a pairing (central), or asks the peer to begin one or to encrypt (peripheral).
  ///
  /// - Parameter level: what the pairing must reach; never less than the policy's.
  /// - Throws: where it cannot begin now. Afterwards the delegate hears of the end.
  public func pair(minimumLevel level: SecurityLevel = .encrypted) throws(PairingFailure) {
    try pair(minimumLevel: level, isWantedHere: true)
  }

  /// - Parameter isWantedHere: false where the peer has asked for it.
  func pair(minimumLevel level: SecurityLevel, isWantedHere: Bool) throws(PairingFailure) {
    if isClosed { throw .timedOut }
    if isPairing || isEncrypting || requestedLevel != nil { throw .busy }
    if let delay = local.attempts.delay(of: peerIdentity, at: loop.now) { throw .tooSoon(delay) }
    try delegate?.securityManagerWillPair(self)
    switch role {
    case .central: begin(minimumLevel: level, isWantedHere: isWantedHere, first: .start)
    case .peripheral:
      requestedLevel = level
      isRequestWanted = isWantedHere
      var requirements = local.policy.authenticationRequirements
      if level >= .authenticated { requirements.insert(.mitm) }
      send(.securityRequest(SMPSecurityRequest(authenticationRequirements: requirements)))
    }
  }

  /// The central encrypts the link with the keys of the bond. False: there is no such key or none that is good enough, or
  /// something is under way.
  public func encryptWithBond() -> Bool {
    guard role == .central, !isClosed, !isPairing, !isEncrypting, let key = usableBond?.keyAsCentral,
      !key.key.isZero
    else { return false }
    keyOwner = .bond
    isEncrypting = true
    delegate?.securityManager(self, encryptsWith: key)
    return true
  }

  /// The user's answer. One to a question that is not open any more changes nothing.
  public func answer(_ answer: PairingAnswer, to question: PairingQuestion.ID) { run(.answered(answer, to: question)) }

  /// The user types a passkey.
  public func typed(_ kind: SMPPairingKeypressNotification.Kind) { run(.typed(kind)) }

  /// Ends the pairing under way.
  public func cancel() { run(.cancelled) }
}

/// What the controller says.
extension SecurityManager {
  /// The peripheral's controller wants the key that the central has named; `nil`: refuse.
  public func longTermKey(encryptedDiversifier: UInt16, randomNumber: UInt64) -> SecretKey? {
    guard role == .peripheral, !isClosed else { return nil }
    if pairing != nil {
      // While a pairing is under way only its own key counts, and only once there is one.
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

  /// The link is encrypted, or could not be, or is not any more.
  public func encryptionChanged(isEncrypted: Bool) {
    isEncrypting = false
    // Keys that have ceased to be good enough while the controllers were busy encrypt nothing either.
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
    // Encrypted with a key that did not come from here: nothing is known about it.
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
