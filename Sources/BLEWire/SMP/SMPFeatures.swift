import BLECore

/// What a device can show and what its user can type (Core, Vol 3 Part H 2.3.2).
public struct SMPIOCapability: WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let displayOnly = SMPIOCapability(rawValue: 0x00)
  public static let displayYesNo = SMPIOCapability(rawValue: 0x01)
  public static let keyboardOnly = SMPIOCapability(rawValue: 0x02)
  public static let noInputNoOutput = SMPIOCapability(rawValue: 0x03)
  public static let keyboardDisplay = SMPIOCapability(rawValue: 0x04)

  public var description: String { Self.names[self] ?? "reserved " + numberText(rawValue, digits: 2) }

  private static let names: [Self: String] = [
    .displayOnly: "DisplayOnly", .displayYesNo: "DisplayYesNo", .keyboardOnly: "KeyboardOnly",
    .noInputNoOutput: "NoInputNoOutput", .keyboardDisplay: "KeyboardDisplay",
  ]
}

/// What a device asks of a pairing (Core, Vol 3 Part H 3.5.1).
public struct SMPAuthenticationRequirements: OptionSet, WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Bits 0 and 1 are a number, of which only 0 (no bonding) and 1 are defined.
  public static let bonding = SMPAuthenticationRequirements(rawValue: 0x01)
  /// Protection against somebody in the middle.
  public static let mitm = SMPAuthenticationRequirements(rawValue: 0x04)
  public static let secureConnections = SMPAuthenticationRequirements(rawValue: 0x08)
  public static let keypress = SMPAuthenticationRequirements(rawValue: 0x10)
  /// h7 is known, for keys across transports.
  public static let ct2 = SMPAuthenticationRequirements(rawValue: 0x20)

  public var description: String {
    let names = [
      (Self.bonding, "bonding"), (.mitm, "MITM"), (.secureConnections, "SC"), (.keypress, "keypress"), (.ct2, "CT2"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: "+") + " (\(numberText(rawValue, digits: 2)))"
  }
}

/// The keys that one side hands out (Core, Vol 3 Part H 3.6.1).
public struct SMPKeyDistribution: OptionSet, WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Encryption Information and Central Identification; ignored with Secure Connections.
  public static let encryption = SMPKeyDistribution(rawValue: 0x01)
  /// Identity Information and Identity Address Information.
  public static let identity = SMPKeyDistribution(rawValue: 0x02)
  /// Signing Information.
  public static let signing = SMPKeyDistribution(rawValue: 0x04)
  /// A key for BR/EDR; never used here.
  public static let link = SMPKeyDistribution(rawValue: 0x08)

  public var description: String {
    let names = [(Self.encryption, "encryption"), (.identity, "identity"), (.signing, "signing"), (.link, "link")]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: "+") + " (\(numberText(rawValue, digits: 2)))"
  }
}

/// Why a pairing failed (Core, Vol 3 Part H 3.5.5).
public struct SMPPairingFailedReason: WireNumber, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let passkeyEntryFailed = SMPPairingFailedReason(rawValue: 0x01)
  public static let oobNotAvailable = SMPPairingFailedReason(rawValue: 0x02)
  public static let authenticationRequirements = SMPPairingFailedReason(rawValue: 0x03)
  public static let confirmValueFailed = SMPPairingFailedReason(rawValue: 0x04)
  public static let pairingNotSupported = SMPPairingFailedReason(rawValue: 0x05)
  public static let encryptionKeySize = SMPPairingFailedReason(rawValue: 0x06)
  public static let commandNotSupported = SMPPairingFailedReason(rawValue: 0x07)
  public static let unspecifiedReason = SMPPairingFailedReason(rawValue: 0x08)
  public static let repeatedAttempts = SMPPairingFailedReason(rawValue: 0x09)
  public static let invalidParameters = SMPPairingFailedReason(rawValue: 0x0A)
  public static let dhKeyCheckFailed = SMPPairingFailedReason(rawValue: 0x0B)
  public static let numericComparisonFailed = SMPPairingFailedReason(rawValue: 0x0C)
  public static let brEDRPairingInProgress = SMPPairingFailedReason(rawValue: 0x0D)
  public static let crossTransportKeyNotAllowed = SMPPairingFailedReason(rawValue: 0x0E)
  public static let keyRejected = SMPPairingFailedReason(rawValue: 0x0F)
  public static let busy = SMPPairingFailedReason(rawValue: 0x10)

  /// The name in the specification and the number.
  public var description: String { "\(Self.names[self] ?? "Reserved") (\(numberText(rawValue, digits: 2)))" }

  private static let names: [Self: String] = [
    .passkeyEntryFailed: "Passkey Entry Failed", .oobNotAvailable: "OOB Not Available",
    .authenticationRequirements: "Authentication Requirements", .confirmValueFailed: "Confirm Value Failed",
    .pairingNotSupported: "Pairing Not Supported", .encryptionKeySize: "Encryption Key Size",
    .commandNotSupported: "Command Not Supported", .unspecifiedReason: "Unspecified Reason",
    .repeatedAttempts: "Repeated Attempts", .invalidParameters: "Invalid Parameters",
    .dhKeyCheckFailed: "DHKey Check Failed", .numericComparisonFailed: "Numeric Comparison Failed",
    .brEDRPairingInProgress: "BR/EDR Pairing in Progress",
    .crossTransportKeyNotAllowed: "Cross-transport Key Derivation Not Allowed", .keyRejected: "Key Rejected",
    .busy: "Busy",
  ]
}
