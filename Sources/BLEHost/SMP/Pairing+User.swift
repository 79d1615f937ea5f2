import BLECore
import BLECrypto
import BLEPairing
import BLEWire

/// Questions to the user, and the user's answers.
extension Pairing {
  mutating func ask(_ kind: PairingRequest.Kind) {
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
      ask(.displayPasskey(passkey.digits))
    } else {
      ask(.enterPasskey)
    }
  }

  mutating func receive(_ answer: PairingRequest.Answer, to id: PairingQuestion.ID) {
    guard let question, question.id == id else { return }
    switch (question.kind, answer) {
    case (.enterPasskey, .passkey(let digits)):
      guard let passkey = SixDigits(digits) else { return refuse(.passkeyEntryFailed) }
      self.passkey = passkey
      self.question = nil
      resume()
    case (.enterPasskey, _): refuse(.passkeyEntryFailed)
    case (.compare, .yes), (.confirmJustWorks, .yes):
      self.question = nil
      resume()
    case (.compare, _): refuse(.numericComparisonFailed)
    case (.replaceBond(let kept, _), .yes):
      self.question = nil
      replacedIdentity = kept.address
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
  func replacement(of identity: DeviceAddress?) -> PairingRequest.Kind? {
    guard let agreement, agreement.isBonding, let security, let identity, identity != replacedIdentity,
      let kept = source.security(ofBondWith: identity)
    else { return nil }
    let isProven =
      parameters.provenIdentity == identity || security.isAuthenticated && parameters.knownIdentity == identity
    if isProven, security.isAtLeastAsGood(as: kept) { return nil }
    return .replaceBond(of: PairingPeer(address: identity, name: nil), keptMethod: kept.method)
  }

  private mutating func resume() {
    if legacy != nil { resumeLegacy() } else { resumeSecureConnections() }
    // Handle the held command as if it had just arrived.
    guard let pdu = held else { return }
    held = nil
    take(pdu)
  }

  // MARK: Keypresses

  mutating func sendKeypress(_ keypress: PairingKeypress) {
    guard agreement?.usesKeypresses == true, question?.kind == .enterPasskey else { return }
    let kind = SMPPairingKeypressNotification.Kind(rawValue: keypress.rawValue)
    send(.pairingKeypressNotification(SMPPairingKeypressNotification(kind: kind)))
  }

  /// Reports a keypress of the peer's user; ignored when that user cannot be typing.
  mutating func receiveKeypress(_ kind: SMPPairingKeypressNotification.Kind) {
    guard let agreement, agreement.usesKeypresses, stage == .confirm || stage == .user,
      case .passkeyEntry(let entry) = agreement.model,
      entry != (isInitiator ? .responderDisplays : .initiatorDisplays),
      let keypress = PairingKeypress(rawValue: kind.rawValue)
    else { return }
    actions.append(.peerTyped(keypress))
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
