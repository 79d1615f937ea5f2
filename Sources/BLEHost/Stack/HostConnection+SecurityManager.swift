import BLEAdapter
import BLECore
import BLECrypto
import BLEHCI
import BLEPairing
import BLEWire

extension HostConnection: SecurityManagerDelegate {
  func securityManagerWillPair(_ manager: SecurityManager) throws(PairingFailure) {
    if manager.local.policy.isBondable, !stack.security.hasRoom(for: bondIdentity) { throw .tooManyBonds }
    let agent = stack.pairingAgent
    manager.local.policy = stack.options.security.answered(by: agent)
    manager.outOfBand = OutOfBandExchange(
      agent.outOfBandData(for: pairingPeer), local: stack.security.outOfBandData)
  }

  func securityManager(
    _ manager: SecurityManager, stores result: PairingResult, _ completion: @escaping (PairingFailure?) -> Void
  ) {
    protection.isStoringKeys = true
    stack.security.keep(
      result, isRequestedLocally: manager.isRequestedLocally, isUnconfirmed: role == .central
    ) { [self, stack] failure in
      completion(failure)
      protection.isStoringKeys = false
      guard let event = protection.heldKeyRequest else { return }
      protection.heldKeyRequest = nil
      if isUp { stack.longTermKeyRequested(event) }
    }
  }

  func securityManager(_ manager: SecurityManager, asks question: PairingQuestion) {
    dialogue.ask(question, of: pairingPeer, occasion, for: manager) { bondedPeer($0) }
  }

  func securityManager(_ manager: SecurityManager, peerTyped keypress: PairingKeypress) {
    dialogue.notify(keypress, of: pairingPeer)
  }

  func securityManager(_ manager: SecurityManager, encryptsWith key: LongTermKey) {
    if manager.keyOwner == .bond {
      protection.timer = loop.schedule(
        after: LinkProtection.encryptionLimit, .background, self, tag: LinkProtection.encryptionTag)
    }
    stack.controller.send(
      LEEnableEncryption(
        connectionHandle: handle, randomNumber: key.randomNumber, diversifier: key.encryptedDiversifier,
        key: HCISecret(key.key.revealLeastSignificantFirst())),
      status: { [weak self] status in
        if !status.isSuccess { self?.encryptionChanged(status, isOn: false) }
      })
  }

  func securityManagerDidChangeSecurity(_ manager: SecurityManager) {
    guard isUp else { return }
    applySecurity()
    guard !endIfTooWeak(), manager.isProven, let identity = bondIdentity else { return }
    stack.security.bondWasUsed(identity)
    if let state = stack.security.bond(of: identity)?.clientState { serverLink?.restore(state) }
    finishRaise(.raised)
    encryptionIsSetUp()
    stack.admitCentrals(to: self)
  }

  func securityManager(_ manager: SecurityManager, didPair result: PairingResult) {
    guard isUp, manager.security != nil else { return pairedWithoutLink(result) }
    // The last of this side's keys are being sent: the link must not end before they have arrived.
    bearer.valuesSent.valueWasSent()
    if result.isBonded {
      setBond(result)
      if role == .central, let identity = bondIdentity {
        bearer.afterNextProcessing { [weak self] in self?.stack.security.bondWasConfirmed(identity) }
      }
      stack.bonded(self)
      if let serverLink { keepClientState(serverLink.state) }
    }
    reportEnd(.paired(result.security.method, isBonded: result.isBonded))
    finishPairing(.success(result.security))
    finishRaise(.raised)
    if protection.needsEncryption { encryptionIsSetUp() }
    if result.isBonded { stack.admitCentrals(to: self) }
  }

  /// Handles a pairing whose keys are stored after the link, or its encryption, has ended.
  private func pairedWithoutLink(_ result: PairingResult) {
    if result.isBonded { stack.bonded(self) }
    reportEnd(.paired(result.security.method, isBonded: result.isBonded))
    finishPairing(.success(result.security))
    if isUp { endWithoutBond(.bondLost) }
  }

  func securityManager(_ manager: SecurityManager, didFail failure: PairingFailure) {
    guard isUp || protection.isStoringKeys else { return }
    // A failure of the bond's keys is not the end of a pairing.
    if failure == .bondFailed { endDialogue() } else { reportEnd(.failed("\(failure)")) }
    if failure == .bondFailed, role == .central {
      if removeUnconfirmedBond(), protection.waiters.isEmpty { return encryptionIsSetUp() }
      return endWithoutBond(.bondLost)
    }
    if protection.needsEncryption { return endWithoutBond(.encryptionTimedOut) }
    finishPairing(.failure(failure))
    finishRaise(failure == .tooManyBonds ? .tooManyBonds : .failed)
  }

  /// Removes a bond whose keys the peer does not have, if it never confirmed them: the pairing was interrupted while they were on
  /// their way. The link continues as one to a device that was not paired. Keys of an authenticated pairing stay: an attacker that can lose the
  /// last packets of a pairing would otherwise replace what the user has compared by a pairing that asks no user.
  private func removeUnconfirmedBond() -> Bool {
    guard protection.isKeyMissing, let identity = bondIdentity, let bond = stack.security.bond(of: identity),
      bond.isUnconfirmed, !bond.keys.security.isAuthenticated
    else { return false }
    stack.log.log(.notice, "\(peer.address) did not receive the keys of the interrupted pairing: they are removed")
    // First, so that the link does not end with the bond.
    setBond(nil)
    stack.security.remove([identity]) { _ in }
    return true
  }

  func securityManager(
    _ manager: SecurityManager, peerChangedFrom before: PairingCapability?, to now: PairingCapability?
  ) {
    let peer = pairingPeer
    dialogue.notify { $0.pairing(with: peer, changedFrom: before, to: now) }
  }
}
