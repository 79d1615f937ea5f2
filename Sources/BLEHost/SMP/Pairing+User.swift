import BLECore
import BLECrypto
import BLEWire

/// What users see, type and decide.
extension Pairing {
  mutating func ask(_ kind: PairingQuestion.Kind) {
    guard let agreement else { return }
    questionCount += 1
    let question = PairingQuestion(
      id: PairingQuestion.ID(pairing: parameters.number, number: questionCount), kind: kind,
      method: agreement.model.method, isSecureConnections: agreement.isSecureConnections,
      peer: parameters.peerAddress)
    if question.wantsAnswer { self.question = question }
    actions.append(.ask(question))
  }

  /// Draws and shows a passkey, or asks for the one that the peer shows.
  mutating func beginPasskeyEntry(_ entry: AssociationModel.PasskeyEntry) {
    if entry == (isInitiator ? .initiatorDisplays : .responderDisplays) {
      let passkey = policy.fixedPasskey ?? source.passkey()
      self.passkey = passkey
      ask(.displayPasskey(passkey))
    } else {
      ask(.enterPasskey)
    }
  }

  mutating func receive(_ answer: PairingAnswer, to id: PairingQuestion.ID) {
    guard let question, question.id == id else { return }
    switch (question.kind, answer) {
    case (.enterPasskey, .passkey(let digits)):
      passkey = digits
      self.question = nil
      resume()
    case (.enterPasskey, _): refuse(.passkeyEntryFailed)
    case (.compare, .yes), (.acceptJustWorks, .yes):
      self.question = nil
      resume()
    case (.compare, _): refuse(.numericComparisonFailed)
    case (.replaceBond(let identity, _), .yes):
      self.question = nil
      replacedIdentity = identity
      if stage == .consent { beginAuthentication() } else { concludeKeys() }
    case (.replaceBond, _): refuse(stage == .consent ? .authenticationRequirements : .keyRejected)
    case (.acceptJustWorks, _): refuse(.unspecifiedReason)
    case (.displayPasskey, _): break
    }
  }

  /// Whether the user is to be asked before pairing by Just Works. One who has agreed that keys are replaced knows already.
  var asksBeforeJustWorks: Bool { policy.asksBeforeJustWorks && replacedIdentity == nil }

  /// The question that has to be answered with yes before this pairing's keys take the place of those that are kept of a device;
  /// `nil` where none are replaced.
  ///
  /// Not asked is only who has proved to be that device: by its keys, or before a user who was shown that device's name. Nobody is
  /// to be asked about one device and lose the keys of another. Worse keys replace better ones only where the user agrees.
  func replacement(of identity: DeviceAddress?) -> PairingQuestion.Kind? {
    guard let agreement, agreement.isBonding, let security, let identity, identity != replacedIdentity,
      let kept = source.security(ofBondWith: identity)
    else { return nil }
    let isProven =
      parameters.provenIdentity == identity || security.isAuthenticated && parameters.knownIdentity == identity
    return isProven && security.isAtLeastAsGood(as: kept) ? nil : .replaceBond(of: identity, kept)
  }

  private mutating func resume() {
    if legacy != nil { resumeLegacy() } else { resumeSecureConnections() }
    // What was held back is taken now, as if it had just come.
    guard let pdu = held else { return }
    held = nil
    take(pdu)
  }

  // MARK: Keypresses

  mutating func tell(_ kind: SMPPairingKeypressNotification.Kind) {
    guard agreement?.usesKeypresses == true, case .enterPasskey? = question?.kind else { return }
    send(.pairingKeypressNotification(SMPPairingKeypressNotification(kind: kind)))
  }

  /// Heard only while the peer's user may be typing; anything else changes nothing.
  mutating func receiveKeypress(_ kind: SMPPairingKeypressNotification.Kind) {
    guard let agreement, agreement.usesKeypresses, stage == .confirm || stage == .user,
      case .passkeyEntry(let entry) = agreement.model,
      entry != (isInitiator ? .responderDisplays : .initiatorDisplays), kind.rawValue <= 4
    else { return }
    actions.append(.peerTyped(kind))
  }

  var cancellationReason: SMPPairingFailedReason {
    guard let kind = question?.kind else { return .unspecifiedReason }
    switch kind {
    case .enterPasskey: return .passkeyEntryFailed
    case .compare: return .numericComparisonFailed
    case .displayPasskey, .acceptJustWorks, .replaceBond: return .unspecifiedReason
    }
  }
}
