import BLEWire

/// The association model of a pairing: how the two sides authenticate each other (Core, Vol 3 Part H 2.3.5.1).
public enum AssociationModel: Hashable, Sendable {
  case justWorks
  case passkeyEntry(PasskeyEntry)
  case numericComparison
  case outOfBand

  /// Which side displays the passkey.
  public enum PasskeyEntry: Hashable, Sendable {
    case initiatorDisplays
    case responderDisplays
    case bothInput
  }

  public var method: PairingMethod {
    switch self {
    case .justWorks: .justWorks
    case .passkeyEntry: .passkeyEntry
    case .numericComparison: .numericComparison
    case .outOfBand: .outOfBand
    }
  }

  /// Returns the model that follows from the features of both sides.
  ///
  /// - Parameter isSecureConnections: whether both sides support Secure Connections.
  public static func chosen(
    initiator: SMPPairingFeatures, responder: SMPPairingFeatures, isSecureConnections: Bool
  ) -> AssociationModel {
    let initiatorHasData = initiator.oobDataFlag == 1
    let responderHasData = responder.oobDataFlag == 1
    // Secure Connections needs out-of-band data on one side only, legacy pairing the temporary key on both.
    if isSecureConnections ? initiatorHasData || responderHasData : initiatorHasData && responderHasData {
      return .outOfBand
    }
    let wantsProtection =
      initiator.authenticationRequirements.contains(.mitm) || responder.authenticationRequirements.contains(.mitm)
    if !wantsProtection { return .justWorks }
    return byCapabilities(
      initiator: initiator.ioCapability, responder: responder.ioCapability, isSecureConnections: isSecureConnections)
  }

  /// Table 2.8 of the specification.
  private static func byCapabilities(
    initiator: SMPIOCapability, responder: SMPIOCapability, isSecureConnections: Bool
  ) -> AssociationModel {
    switch (initiator, responder) {
    case (.keyboardOnly, .keyboardOnly): .passkeyEntry(.bothInput)
    case (.displayYesNo, .displayYesNo): isSecureConnections ? .numericComparison : .justWorks
    case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
      isSecureConnections ? .numericComparison : .passkeyEntry(.initiatorDisplays)
    case (.keyboardDisplay, .displayYesNo):
      isSecureConnections ? .numericComparison : .passkeyEntry(.responderDisplays)
    case (.displayOnly, .keyboardOnly), (.displayOnly, .keyboardDisplay), (.displayYesNo, .keyboardOnly),
      (.keyboardDisplay, .keyboardOnly):
      .passkeyEntry(.initiatorDisplays)
    case (.keyboardOnly, .displayOnly), (.keyboardOnly, .displayYesNo), (.keyboardOnly, .keyboardDisplay),
      (.keyboardDisplay, .displayOnly):
      .passkeyEntry(.responderDisplays)
    default: .justWorks
    }
  }
}
