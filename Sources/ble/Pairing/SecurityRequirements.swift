import BLEHost
import BLEPairing
import BLESession

/// What a peripheral insists on, and what it can show and type: a profile's, or the command line's.
struct SecurityRequirements: Equatable, Sendable {
  var capability: PairingCapability?
  var passkey: SixDigits?
  var minimumLevel: SecurityLevel?
}

/// The name of a capability, on the command line and in profiles.
enum CapabilityName: String, CaseIterable, ArgumentValue {
  case displayOnly = "display-only"
  case displayYesNo = "display-yes-no"
  case keyboardOnly = "keyboard-only"
  case noInputNoOutput = "no-input-no-output"
  case keyboardDisplay = "keyboard-display"

  init(argument: String) throws(ArgumentValueError) {
    guard let name = CapabilityName(rawValue: argument) else {
      let names = Self.allCases.map(\.rawValue)
      throw ArgumentValueError(
        "expected \(names.joined(separator: ", "))\(Suggestion.sentence(for: argument, among: names))")
    }
    self = name
  }

  var capability: PairingCapability {
    switch self {
    case .displayOnly: .displayOnly
    case .displayYesNo: .displayYesNo
    case .keyboardOnly: .keyboardOnly
    case .noInputNoOutput: .noInputNoOutput
    case .keyboardDisplay: .keyboardDisplay
    }
  }
}

/// What a pairing has to reach, on the command line and in profiles.
enum LevelName: String, CaseIterable, ArgumentValue {
  case encrypted
  case authenticated
  case secure

  init(argument: String) throws(ArgumentValueError) {
    guard let name = LevelName(rawValue: argument) else {
      let names = Self.allCases.map(\.rawValue)
      throw ArgumentValueError(
        "expected \(names.joined(separator: ", "))\(Suggestion.sentence(for: argument, among: names))")
    }
    self = name
  }

  var level: SecurityLevel {
    switch self {
    case .encrypted: .encrypted
    case .authenticated: .authenticated
    case .secure: .authenticatedSecureConnections
    }
  }
}
