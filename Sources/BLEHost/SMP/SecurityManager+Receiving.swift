import BLECore
import BLEWire

/// What the peer sends.
extension SecurityManager {
  /// One payload of channel 0x0006.
  public func receive(_ payload: ArraySlice<UInt8>) {
    if isClosed {
      statistics.afterClosing += 1
      return
    }
    if isKeeping { return hold(payload) }
    do {
      let pdu = try SMPPDU(payload)
      if pairing != nil { run(.received(pdu)) } else { receiveOutsidePairing(pdu) }
    } catch {
      statistics.malformed += 1
      // The octets may be part of a key: the log gets their number only.
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
        begin(minimumLevel: level ?? .encrypted, isWantedHere: level != nil && isRequestWanted, first: .received(pdu))
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
      log.log(.info, "\(peerAddress) may not pair: \(error)")
      return false
    }
  }

  /// The peripheral asks for security: the keys that there are, or new ones (Core, Vol 3 Part H 2.4.6).
  private func receiveSecurityRequest(_ requirements: SMPAuthenticationRequirements) {
    // Under way already: what comes of it is the answer.
    if isEncrypting { return }
    if !local.policy.answersSecurityRequests { return refuseOutsidePairing(.pairingNotSupported) }
    let wanted = requirements.contains(.mitm) ? SecurityLevel.authenticated : .encrypted
    if let security, security.level >= wanted { return }
    // A peripheral that is never content must not keep this side pairing for ever.
    guard mayAnswerUnsolicited() else { return }
    if security == nil, let bond, bond.security.level >= wanted, encryptWithBond() { return }
    do {
      try pair(minimumLevel: .encrypted, isWantedHere: false)
    } catch {
      log.log(.debug, "Security Request of \(peerAddress) not followed: \(error)")
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
