import BLEDeviceFiles
import BLESession
import Foundation

/// The action of `ble command`.
enum DeviceAction: Equatable, Sendable {
  case list, check, listen
  case raw(Data, isUnframed: Bool)
  case command(String, [String: String])

  /// The words that are not commands of a file.
  static let words = ["list", "check", "listen", "raw"]

  init(_ word: String, _ rest: [String], isUnframed: Bool) throws(UsageError) {
    switch word {
    case "list", "check", "listen":
      if let first = rest.first { throw UsageError("'\(word)' takes nothing else, found '\(first.inert)'") }
      self = word == "list" ? .list : word == "check" ? .check : .listen
    case "raw":
      let text = rest.joined(separator: " ")
      let octets: Data
      do {
        octets = try Hexadecimal.decode(text)
      } catch {
        throw UsageError("'\(text.inert)' is not a sequence of octets: \((error.errorDescription ?? "").inert)")
      }
      guard !octets.isEmpty, octets.count <= ValueFormat.longest else {
        throw UsageError("'raw' needs 1 to \(ValueFormat.longest) octets as hexadecimal digits")
      }
      self = .raw(octets, isUnframed: isUnframed)
    default:
      var values: [String: String] = [:]
      for text in rest {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
          throw UsageError("'\(text.inert)' is not a field value: expected field=value")
        }
        guard values.updateValue(parts[1], forKey: parts[0]) == nil else {
          throw UsageError("The field '\(parts[0].inert)' is given twice")
        }
      }
      self = .command(word, values)
    }
  }
}

extension DeviceDescription {
  /// Converts the typed values to values of the command's fields.
  func values(of name: String, _ texts: [String: String]) throws(ToolError) -> [String: FieldValue] {
    do throws(TypedValueMistakes) {
      return try values(of: name, typed: texts, besides: DeviceAction.words, help: "; 'list' shows all.")
    } catch {
      throw ToolError(.usage, error.mistakes.map(\.sentence).joined(separator: "\n"))
    }
  }
}
