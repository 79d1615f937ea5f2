import BLESession
import BLEText

/// Why values that a person has typed are no values of a command: all mistakes at once.
package struct TypedValueMistakes: Error, Sendable, Hashable {
  package struct Mistake: Sendable, Hashable {
    /// The field that it is about; `nil` for the command.
    package var field: String?
    /// What was expected, for a form that shows it beside the field.
    package var expected: String
    /// The same as a whole sentence.
    package var sentence: String
  }

  package var mistakes: [Mistake]
}

extension DeviceDescription {
  /// Converts typed values to values of a command's fields.
  /// - Parameters:
  ///   - words: what else can be typed in the command's place; a suggestion for a mistyped command may be one of them.
  ///   - help: where the commands are listed, as the end of a sentence.
  /// - Throws: all that is wrong: an unknown command or field, a value that a field does not take, a field that is left out and has no default.
  package func values(
    of name: String, typed texts: [String: String], besides words: [String] = [], help: String = ""
  ) throws(TypedValueMistakes) -> [String: FieldValue] {
    guard let command = command(named: name) else {
      let suggestion = Suggestion.sentence(for: name, among: commands.map(\.name) + words)
      let sentence = "The file has no command '\(name.inert)'" + (suggestion.isEmpty ? help : suggestion)
      throw TypedValueMistakes(mistakes: [.init(expected: sentence, sentence: sentence)])
    }
    var values: [String: FieldValue] = [:]
    var mistakes: [TypedValueMistakes.Mistake] = []
    for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
      guard let field = command.parameters.first(where: { $0.name == key }) else {
        mistakes.append(command.mistake(unknown: key))
        continue
      }
      do throws(FieldError) {
        values[key] = try field.value(of: text)
      } catch {
        mistakes.append(
          .init(field: key, expected: error.expected, sentence: "The field '\(key)': \(error.expected)"))
      }
    }
    for field in command.parameters where field.standard == nil && texts[field.name] == nil {
      mistakes.append(
        .init(
          field: field.name, expected: "expected \(field.expectation)",
          sentence: "The command '\(name)' needs \(field.name)=...: \(field.expectation)"))
    }
    guard mistakes.isEmpty else { throw TypedValueMistakes(mistakes: mistakes) }
    return values
  }
}

extension DeviceCommand {
  fileprivate func mistake(unknown key: String) -> TypedValueMistakes.Mistake {
    let names = parameters.map(\.name)
    let known = names.isEmpty ? "it takes none" : "expected \(names.joined(separator: ", "))"
    let suggestion = Suggestion.sentence(for: key, among: names)
    return .init(
      field: key, expected: known + suggestion,
      sentence: "The command '\(name)' has no field '\(key.inert)': \(known)\(suggestion)")
  }
}
