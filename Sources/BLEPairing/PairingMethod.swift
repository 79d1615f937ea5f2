/// How two devices make sure of each other, seen from outside (Core, Vol 3 Part H 2.3.5.1).
public enum PairingMethod: String, Hashable, Sendable, CaseIterable {
  /// Nobody checks anything: no protection against somebody in the middle.
  case justWorks = "Just Works"
  /// Six digits shown by one side are typed on the other, or typed on both.
  case passkeyEntry = "Passkey Entry"
  /// Both sides show six digits, and the users say whether they are the same.
  case numericComparison = "Numeric Comparison"
  /// Data came by another way, for instance by near-field communication.
  case outOfBand = "Out of Band"
}

/// What a device can show, and what its user can type (Core, Vol 3 Part H 2.3.2), numbered as on the air.
public enum PairingCapability: UInt8, Hashable, Sendable, CaseIterable {
  /// Shows six digits.
  case displayOnly = 0
  /// Shows six digits, and takes a yes or a no.
  case displayYesNo = 1
  /// Takes six digits.
  case keyboardOnly = 2
  /// Neither shows nor takes anything.
  case noInputNoOutput = 3
  /// Shows six digits, takes six digits, and takes a yes or a no.
  case keyboardDisplay = 4
}
