import BLEWire

/// The features of both sides and what follows from them.
public struct PairingAgreement: Sendable {
  /// The Pairing Request as sent: code and features.
  public let request: [UInt8]
  /// The Pairing Response as sent: code and features.
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

  /// Whether both sides store the keys. Of the values of the two-bit field only 1 means bonding.
  public var isBonding: Bool {
    initiatorFeatures.authenticationRequirements.asksForBonding
      && responderFeatures.authenticationRequirements.asksForBonding
  }

  /// Whether both sides support keypress notifications.
  public var usesKeypresses: Bool {
    initiatorFeatures.authenticationRequirements.contains(.keypress)
      && responderFeatures.authenticationRequirements.contains(.keypress)
  }

  public var model: AssociationModel {
    AssociationModel.chosen(
      initiator: initiatorFeatures, responder: responderFeatures, isSecureConnections: isSecureConnections)
  }

  /// The smaller of both sides' maximum key sizes, in octets.
  public var keySize: Int {
    Int(min(initiatorFeatures.maximumEncryptionKeySize, responderFeatures.maximumEncryptionKeySize))
  }

  /// The keys that the initiator distributes. Never the link key for BR/EDR, nor the LTK with Secure Connections.
  public var initiatorKeys: SMPKeyDistribution { distributed(responderFeatures.initiatorKeyDistribution) }

  /// The keys that the responder distributes.
  public var responderKeys: SMPKeyDistribution { distributed(responderFeatures.responderKeyDistribution) }

  private func distributed(_ keys: SMPKeyDistribution) -> SMPKeyDistribution {
    keys.intersection(isSecureConnections ? [.identity, .signing] : [.encryption, .identity, .signing])
  }
}

extension SMPAuthenticationRequirements {
  var asksForBonding: Bool { rawValue & 0x03 == 0x01 }
}

extension SMPPairingFeatures {
  /// Returns why these features are invalid, or `nil`.
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
