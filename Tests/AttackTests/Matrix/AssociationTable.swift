import BLEHost
import BLEPairing
import Testing

/// The specification's table of association models, as printed there: the oracle of the matrix, written by hand.
enum AssociationTable {
  /// What the two users have to do.
  enum Entry: Character {
    /// Just Works.
    case justWorks = "J"
    /// Passkey Entry: the initiator displays, the responder inputs.
    case initiatorDisplays = "I"
    /// Passkey Entry: the responder displays, the initiator inputs.
    case responderDisplays = "R"
    /// Passkey Entry: both input.
    case bothInput = "B"
    /// Numeric Comparison.
    case comparison = "N"
    /// Out of Band.
    case outOfBand = "O"
  }

  /// The order of rows and columns of table 2.8.
  private static let order: [PairingCapability] =
    [.displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay]

  /// Core, Vol 3 Part H 2.3.5.1, table 2.8: a row for each responder, a column for each initiator.
  private static let legacy = [
    "JJRJR",
    "JJRJR",
    "IIBJI",
    "JJJJJ",
    "IIRJI",
  ]
  private static let secureConnections = [
    "JJRJR",
    "JNRJN",
    "IIBJI",
    "JJJJJ",
    "INRJN",
  ]

  /// Table 2.8 alone, where a side requests MITM protection and there are no out-of-band data.
  static func byCapabilities(_ combination: Combination) -> Entry {
    let table = combination.isSecureConnections ? secureConnections : legacy
    guard let row = order.firstIndex(of: combination.responder),
      let column = order.firstIndex(of: combination.initiator)
    else { return .justWorks }
    return Entry(rawValue: Array(table[row])[column]) ?? .justWorks
  }

  /// Tables 2.6 (legacy) and 2.7 (Secure Connections) say when table 2.8 is used.
  static func entry(_ combination: Combination) -> Entry {
    switch (combination.isSecureConnections, combination.data) {
    case (true, .initiator), (true, .responder), (_, .both): .outOfBand
    case (false, .initiator), (false, .responder), (_, .none):
      combination.protection == .none ? .justWorks : byCapabilities(combination)
    }
  }
}

extension AssociationTable.Entry {
  var method: PairingMethod {
    switch self {
    case .justWorks: .justWorks
    case .initiatorDisplays, .responderDisplays, .bothInput: .passkeyEntry
    case .comparison: .numericComparison
    case .outOfBand: .outOfBand
    }
  }

  /// Vol 3 Part C 10.2.1: the security level of a link that is encrypted with such keys of sixteen octets.
  func level(isSecureConnections: Bool) -> SecurityLevel {
    if self == .justWorks { return .encrypted }
    return isSecureConnections ? .authenticatedSecureConnections : .authenticated
  }

  /// What each side's user is asked to do.
  var tasks: (initiator: Person.Task?, responder: Person.Task?) {
    switch self {
    case .justWorks: (.confirmJustWorks, .confirmJustWorks)
    case .initiatorDisplays: (.show, .type)
    case .responderDisplays: (.type, .show)
    case .bothInput: (.type, .type)
    case .comparison: (.compare, .compare)
    case .outOfBand: (nil, nil)
    }
  }
}

/// One cell of the matrix.
struct Combination: Sendable, CustomTestStringConvertible {
  /// Which of the two sides.
  enum Sides: CaseIterable {
    case none, initiator, responder, both
    var includesInitiator: Bool { self == .initiator || self == .both }
    var includesResponder: Bool { self == .responder || self == .both }
  }

  let initiator: PairingCapability
  let responder: PairingCapability
  let isSecureConnections: Bool
  /// Which sides have out-of-band data.
  let data: Sides
  /// Which sides request MITM protection.
  let protection: Sides

  static let all = PairingCapability.allCases.flatMap { initiator in
    PairingCapability.allCases.flatMap { responder in
      [false, true].flatMap { isSecureConnections in
        Sides.allCases.flatMap { data in
          Sides.allCases.map { protection in
            Combination(
              initiator: initiator, responder: responder, isSecureConnections: isSecureConnections, data: data,
              protection: protection)
          }
        }
      }
    }
  }

  var testDescription: String {
    "\(initiator) to \(responder), \(isSecureConnections ? "Secure Connections" : "legacy"), data: \(data), "
      + "protection: \(protection)"
  }
}
