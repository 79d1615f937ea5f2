/// How two devices authenticate each other (Core, Vol 3 Part H 2.3.5.1).
public enum PairingMethod: String, Hashable, Sendable, CaseIterable {
  /// No authentication: no protection against a man in the middle.
  case justWorks = "Just Works"
  /// Six digits shown by one side are typed on the other, or typed on both.
  case passkeyEntry = "Passkey Entry"
  /// Both sides show six digits, and the users say whether they are the same.
  case numericComparison = "Numeric Comparison"
  /// The data was exchanged by another channel, for example near-field communication.
  case outOfBand = "Out of Band"
}

/// What a device can show, and what its user can type: the IO capability (Core, Vol 3 Part H 2.3.2), with the values on the air.
public enum PairingCapability: UInt8, Hashable, Sendable, CaseIterable {
  /// Shows six digits.
  case displayOnly = 0
  /// Shows six digits, and asks for yes or no.
  case displayYesNo = 1
  /// Asks for six digits.
  case keyboardOnly = 2
  /// Neither shows nor asks.
  case noInputNoOutput = 3
  /// Shows six digits, asks for six digits, and asks for yes or no.
  case keyboardDisplay = 4
}
