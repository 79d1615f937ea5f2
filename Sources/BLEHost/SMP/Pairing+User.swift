import BLECore
import BLECrypto
import BLEWire

/// Questions to the user, and the user's answers.
extension Pairing {
  mutating func ask(_ kind: PairingQuestion.Kind) {
    guard let agreement else { return }
    questionCount += 1
    let question = PairingQuestion(
      id: PairingQuestion.ID(pairing: parameters.number, number: questionCount), kind: kind,
      method: agreement.model.method, isSecureConnections: agreement.isSecureConnections,
      peer: parameters.peerAddress)
    if question.needsAnswer { self.question = question }
    actions.append(.ask(question))
  }

  /// Generates and displays a passkey, or asks for the one that the peer displays.
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
    case (.compare, .yes), (.confirmJustWorks, .yes):
      self.question = nil
      resume()
    case (.compare, _): refuse(.numericComparisonFailed)
    case (.replaceBond(let identity, _), .yes):
      self.question = nil
      replacedIdentity = identity
      if stage == .consent { beginAuthentication() } else { concludeKeys() }
    case (.replaceBond, _): refuse(stage == .consent ? .authenticationRequirements : .keyRejected)
    case (.confirmJustWorks, _): refuse(.unspecifiedReason)
    case (.displayPasskey, _): break
    }
  }

  /// Whether to ask the user before pairing by Just Works: not if the user has already agreed to replace a bond.
  var asksBeforeJustWorks: Bool { policy.asksBeforeJustWorks && replacedIdentity == nil }

  /// Returns the question that the user must answer with yes before this pairing replaces the bond with `identity`; `nil` if no
  /// question is needed.
  ///
  /// None is needed if there is no bond to replace, or if the peer has proved to be that device, by its keys or by an authenticated
  /// pairing in which the user was shown that device, and the new keys are at least as good. So a user who is asked about one device
  /// never loses the keys of another.
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
    // Handle the held command as if it had just arrived.
    guard let pdu = held else { return }
    held = nil
    take(pdu)
  }

  // MARK: Keypresses

  mutating func sendKeypress(_ kind: SMPPairingKeypressNotification.Kind) {
    guard agreement?.usesKeypresses == true, case .enterPasskey? = question?.kind else { return }
    send(.pairingKeypressNotification(SMPPairingKeypressNotification(kind: kind)))
  }

  /// Reports a keypress of the peer's user; ignored when that user cannot be typing.
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
    case .displayPasskey, .confirmJustWorks, .replaceBond: return .unspecifiedReason
    }
  }
}
