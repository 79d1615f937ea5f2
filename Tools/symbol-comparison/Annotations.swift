import Foundation

/// What people know about the comparison and the compiler does not: `annotations.json` beside this file.
struct Annotations: Codable, Sendable {
  struct Status: Codable, Sendable {
    enum Word: String, Codable, Sendable, CaseIterable {
      case implemented
      case acceptedWithoutEffect = "accepted without effect"
      case notAvailable = "not available"
    }

    let status: Word
    let symbols: [String]
    let reason: String
  }

  /// Declarations that Apple does not have, each with the reason why they are here.
  var extra: [String: String]
  /// Differences that are meant, by the list's id, each with the reason.
  var different: [String: String]
  /// Everything that is not named is implemented.
  var statuses: [Status]

  static func read(at path: String) throws -> Annotations {
    try JSONDecoder().decode(Annotations.self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The status of a symbol of the list, and what is to be said about it.
  func status(of id: String) -> (word: Status.Word, reason: String) {
    guard let status = statuses.first(where: { $0.symbols.contains(id) }) else { return (.implemented, "") }
    return (status.status, status.reason)
  }
}
