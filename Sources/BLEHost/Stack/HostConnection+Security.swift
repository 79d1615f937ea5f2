import BLEAdapter
import BLECore
import BLECrypto
import BLEHCI
import BLEWire

extension HostConnection {
  /// The security of the link as checked for attributes.
  private var linkSecurity: LinkSecurity {
    // A device that has paired without bonding is not the bonded device, whatever its address.
    guard let now = security.security else { return LinkSecurity(isBonded: security.usableBond != nil) }
    return isAccepted(now) ? now.linkSecurity(isBonded: security.isProven) : .open
  }

  /// The identity of the peer's bond, if there is one.
  var bondIdentity: DeviceAddress? { security.bond?.peerIdentity }

  /// Sets or removes the keys of the peer's bond.
  func setBond(_ keys: PairingResult?) {
    security.bond = keys
    applyBond()
  }

  private func applyBond() {
    let keys = security.usableBond
    protection.signing = keys?.localSigningKey.map { SignatureAlgorithm(csrk: $0) }
    protection.verifying = keys?.peerSigningKey.map { SignatureAlgorithm(csrk: $0) }
    applySecurity()
  }

  /// Applies a changed policy: keys that it does not accept are not used from now on.
  func securityPolicyChanged() {
    applyBond()
    _ = endIfTooWeak()
  }

  private func isAccepted(_ security: PairingSecurity) -> Bool { stack.options.security.accepts(security) }

  /// Ends the link if it is encrypted below the policy. Returns whether it was.
  func endIfTooWeak() -> Bool {
    guard let now = security.security, !isAccepted(now) else { return false }
    stack.log.log(.notice, "the keys of \(peer.address) are below the security policy: the link ends")
    endWithoutBond(.encryptionTimedOut)
    return true
  }

  func applySecurity() {
    let current = linkSecurity
    database.client.security = current
    protection.signsCommands = protection.signing != nil && !current.isEncrypted
    guard let serverLink else { return }
    serverLink.security = current
    serverLink.verifySignature =
      protection.verifying == nil
      ? nil : { [weak self] command, verified in self?.verify(command, verified) ?? verified(false) }
    // A client's state is stored only once the client has proved its identity.
    serverLink.stateDidChange =
      current.isBonded && current.isEncrypted ? { [weak self] state in self?.keepClientState(state) } : nil
  }

  // MARK: Encrypting

  /// As a central, encrypts the link to a bonded peer before anything else, because a device that impersonates the peer does not
  /// have its keys (Core, Vol 3 Part C 10.3.2). If the policy no longer accepts the keys, pairs again before anything else.
  func encryptIfBonded() {
    if security.encryptWithBond() {
      protection.needsEncryption = true
    } else if security.bond != nil, security.usableBond == nil {
      protection.needsEncryption = true
      pairAgain()
    }
    if protection.needsEncryption { bearer.holdIndications() }
  }

  private func pairAgain() {
    stack.log.log(.notice, "the keys of \(peer.address) are below the security policy: pairing again")
    do throws(PairingFailure) { try security.pair() } catch {
      stack.log.log(.notice, "could not pair with \(peer.address) again: \(error)")
      endWithoutBond(.encryptionTimedOut)
    }
  }

  /// As a peripheral, requests a new pairing if the policy does not accept the keys of the central, before the central uses them
  /// (Core, Vol 3 Part H 2.4.6). Otherwise the central's user would have to remove the bond there. The central may ignore the request.
  func requestBetterKeys() {
    guard role == .peripheral, security.bond != nil, security.usableBond == nil else { return }
    do throws(PairingFailure) { try security.pair(minimumLevel: .encrypted, isRequestedLocally: false) } catch {
      stack.log.log(.info, "did not request a new pairing from \(peer.address): \(error)")
    }
  }

  /// Handles an encryption event of the controller.
  func encryptionChanged(_ status: HCIErrorCode, isOn: Bool) {
    guard isUp else { return }
    stopEncryptionTimer()
    protection.isKeyMissing = status == .pinOrKeyMissing
    if !status.isSuccess { stack.log.log(.info, "the link to \(peer.address) could not be encrypted: \(status)") }
    security.encryptionChanged(isEncrypted: status.isSuccess && isOn)
    if status.isSuccess, isOn { stack.faults?.encrypted(self) }
  }

  /// Answers the peripheral's controller, which requests the key chosen by the central.
  func longTermKeyRequested(_ event: LELongTermKeyRequestEvent) {
    guard isUp else { return }
    // Keys are not used before they are stored.
    if protection.isStoringKeys {
      protection.heldKeyRequest = event
      return
    }
    let key = security.longTermKey(encryptedDiversifier: event.diversifier, randomNumber: event.randomNumber)
    guard let key, !key.isZero else {
      stack.controller.send(LELongTermKeyRequestNegativeReply(connectionHandle: handle))
      return
    }
    stack.controller.send(
      LELongTermKeyRequestReply(connectionHandle: handle, key: HCISecret(key.revealLeastSignificantFirst())))
  }

  /// Ends a link that could not be encrypted with the keys of the bond: nothing is exchanged without encryption instead.
  func endWithoutBond(_ reason: EndReason) {
    guard isUp, phase != .closing else { return }
    closingReason = reason
    disconnect(.authenticationFailure)
  }

  func encryptionTimerFired() {
    protection.timer = nil
    endWithoutBond(.encryptionTimedOut)
  }

  private func stopEncryptionTimer() {
    if let timer = protection.timer { loop.cancel(timer) }
    protection.timer = nil
  }

  /// Ends the link's security procedures when the link has ended.
  func endSecurity() {
    if let identity = bondIdentity { stack.security.settleAcceptedCounter(of: identity) }
    keepLayout()
    stopEncryptionTimer()
    security.linkEnded()
    protection.waiters = []
    if protection.isStoringKeys { return }
    endDialogue()
    finishPairing(.failure(.disconnected))
  }
}
