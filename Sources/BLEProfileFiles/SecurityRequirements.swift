import BLEHost
import BLEPairing

/// The security that a peripheral requires, and its IO capability: from a profile or from the command line.
package struct SecurityRequirements: Equatable, Sendable {
  package var capability: PairingCapability?
  package var passkey: SixDigits?
  package var minimumLevel: SecurityLevel?

  package init() {}
}

/// The name of a capability, on the command line and in profiles.
package enum CapabilityName: String, CaseIterable {
  case displayOnly = "display-only"
  case displayYesNo = "display-yes-no"
  case keyboardOnly = "keyboard-only"
  case noInputNoOutput = "no-input-no-output"
  case keyboardDisplay = "keyboard-display"

  package var capability: PairingCapability {
    switch self {
    case .displayOnly: .displayOnly
    case .displayYesNo: .displayYesNo
    case .keyboardOnly: .keyboardOnly
    case .noInputNoOutput: .noInputNoOutput
    case .keyboardDisplay: .keyboardDisplay
    }
  }
}

/// The required security of a pairing, on the command line and in profiles.
package enum LevelName: String, CaseIterable {
  case encrypted
  case authenticated
  case secure

  package var level: SecurityLevel {
    switch self {
    case .encrypted: .encrypted
    case .authenticated: .authenticated
    case .secure: .authenticatedSecureConnections
    }
  }
}
