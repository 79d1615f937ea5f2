import BLECore
import BLEWire

/// Commands of the peer.
extension SecurityManager {
  /// Receives one payload of channel 0x0006.
  public func receive(_ payload: ArraySlice<UInt8>) {
    if isClosed {
      statistics.afterClosing += 1
      return
    }
    if isStoringKeys { return hold(payload) }
    do {
      let pdu = try SMPPDU(payload)
      if pairing != nil { run(.received(pdu)) } else { receiveOutsidePairing(pdu) }
    } catch {
      statistics.malformed += 1
      // The octets may be part of a key: only their number is logged.
      log.log(.debug, "malformed command of \(payload.count) octets")
      run(.receivedMalformed)
    }
  }

  private func receiveOutsidePairing(_ pdu: SMPPDU) {
    switch (role, pdu) {
    case (.peripheral, .pairingRequest):
      if local.attempts.delay(of: peerIdentity, at: loop.now) != nil {
        refuseOutsidePairing(.repeatedAttempts)
      } else if !mayPair() {
        refuseOutsidePairing(.pairingNotSupported)
      } else {
        let level = requestedLevel
        requestedLevel = nil
        begin(
          minimumLevel: level ?? .encrypted, isRequestedLocally: level != nil && isSecurityRequestLocal,
          first: .received(pdu))
      }
    case (.central, .securityRequest(let packet)): receiveSecurityRequest(packet.authenticationRequirements)
    case (.central, .pairingRequest), (.peripheral, .securityRequest):
      statistics.unsolicited += 1
      refuseOutsidePairing(.commandNotSupported)
    case (.peripheral, .pairingFailed(let packet)) where requestedLevel != nil:
      requestedLevel = nil
      stopTimer()
      delegate?.securityManager(self, didFail: .refusedByPeer(packet.reason))
    default: statistics.unsolicited += 1
    }
  }

  private func mayPair() -> Bool {
    do throws(PairingFailure) {
      try delegate?.securityManagerWillPair(self)
      return true
    } catch {
      log.log(.info, "refused the pairing request of \(peerAddress): \(error)")
      return false
    }
  }

  /// Handles a Security Request: encrypts with the bond's keys, or pairs (Core, Vol 3 Part H 2.4.6).
  private func receiveSecurityRequest(_ requirements: SMPAuthenticationRequirements) {
    // Encryption is in progress: its result is the answer.
    if isEncrypting { return }
    if !local.policy.answersSecurityRequests { return refuseOutsidePairing(.pairingNotSupported) }
    let wanted = requirements.contains(.mitm) ? SecurityLevel.authenticated : .encrypted
    if let security, security.level >= wanted { return }
    // Limited, so that a peripheral cannot make this side pair without end.
    guard mayAnswerUnsolicited() else { return }
    if security == nil, let bond, bond.security.level >= wanted, encryptWithBond() { return }
    do {
      try pair(minimumLevel: .encrypted, isRequestedLocally: false)
    } catch {
      log.log(.debug, "ignored the Security Request of \(peerAddress): \(error)")
    }
  }

  private func refuseOutsidePairing(_ reason: SMPPairingFailedReason) {
    if mayAnswerUnsolicited() { send(.pairingFailed(SMPPairingFailed(reason: reason))) }
  }

  private func mayAnswerUnsolicited() -> Bool {
    unsolicitedAnswers += 1
    return unsolicitedAnswers <= Self.unsolicitedLimit
  }
}
