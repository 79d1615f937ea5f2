import BLEWire

/// What the features of both sides lead to.
public struct PairingAgreement: Sendable {
  /// The command as it travelled: code and features.
  public let request: [UInt8]
  /// The command as it travelled: code and features.
  public let response: [UInt8]
  public let initiatorFeatures: SMPPairingFeatures
  public let responderFeatures: SMPPairingFeatures

  init(request: SMPPairingFeatures, response: SMPPairingFeatures) {
    self.request = SMPPairingRequest(features: request).pdu
    self.response = SMPPairingResponse(features: response).pdu
    initiatorFeatures = request
    responderFeatures = response
  }

  public var isSecureConnections: Bool {
    initiatorFeatures.authenticationRequirements.contains(.secureConnections)
      && responderFeatures.authenticationRequirements.contains(.secureConnections)
  }

  /// Both sides keep the keys. The field has two bits, of whose values only 1 means that.
  public var isBonding: Bool {
    initiatorFeatures.authenticationRequirements.asksForBonding
      && responderFeatures.authenticationRequirements.asksForBonding
  }

  /// Both sides want to hear of digits that are typed.
  public var usesKeypresses: Bool {
    initiatorFeatures.authenticationRequirements.contains(.keypress)
      && responderFeatures.authenticationRequirements.contains(.keypress)
  }

  public var model: AssociationModel {
    AssociationModel.chosen(
      initiator: initiatorFeatures, responder: responderFeatures, isSecureConnections: isSecureConnections)
  }

  /// Octets, as the smaller of the two sides.
  public var keySize: Int {
    Int(min(initiatorFeatures.maximumEncryptionKeySize, responderFeatures.maximumEncryptionKeySize))
  }

  /// What the initiator hands out. The key for BR/EDR is never among it, nor is the LTK that Secure Connections makes.
  public var initiatorKeys: SMPKeyDistribution { handedOut(responderFeatures.initiatorKeyDistribution) }

  /// What the responder hands out.
  public var responderKeys: SMPKeyDistribution { handedOut(responderFeatures.responderKeyDistribution) }

  private func handedOut(_ keys: SMPKeyDistribution) -> SMPKeyDistribution {
    keys.intersection(isSecureConnections ? [.identity, .signing] : [.encryption, .identity, .signing])
  }
}

extension SMPAuthenticationRequirements {
  var asksForBonding: Bool { rawValue & 0x03 == 0x01 }
}

extension SMPPairingFeatures {
  /// Why these features cannot be answered at all, or `nil`.
  var fault: SMPPairingFailedReason? {
    if maximumEncryptionKeySize < 7 { return .encryptionKeySize }
    if maximumEncryptionKeySize > 16 || ioCapability.rawValue > SMPIOCapability.keyboardDisplay.rawValue
      || oobDataFlag > 1
    {
      return .invalidParameters
    }
    return nil
  }
}
