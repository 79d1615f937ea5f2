import BLEDeviceFiles
import BLESession
import BLEText
import CoreBluetooth
import Foundation

/// What a command's message asks for.
package struct CommandRequest: Sendable {
  package enum Action: Sendable, Equatable {
    /// A command of the device file.
    case perform(String, [String: FieldValue])
    case write(CharacteristicPath, Data, withResponse: Bool)
  }

  /// Chosen by the sender, the same each time that the command is sent.
  package var identifier: String
  package var action: Action
  /// `nil` where the message has none: then MQTT 5's expiry counts.
  package var deadline: Date?
  package var reply: String?

  /// The longest message in octets.
  package static let longest = 16_384
  package static let longestIdentifier = 128

  /// What can be said of a message that is no command.
  package struct Refusal: Error {
    /// `nil` where the message does not have a valid one.
    package var identifier: String?
    package var reason: String
    /// Whether it is to be ignored: what the gateways say themselves, sent back by a broker that loops.
    var isEcho = false
  }

  /// Reads a message.
  package init(_ payload: Data) throws(Refusal) {
    guard payload.count <= Self.longest else {
      throw Refusal(reason: "a command has at most \(Self.longest) octets, not \(payload.count)")
    }
    let json: PositionedJSON
    do throws(PositionedError) {
      json = try PositionedJSONReader.read(octets: payload)
    } catch {
      throw Refusal(reason: error.message)
    }
    let mistakes = MistakeList()
    guard var object = FileObject(json, "a command", mistakes) else {
      throw Refusal(reason: mistakes.all.first?.message ?? "it is no object")
    }
    let isEcho = object.member("event") != nil
    let identifier = object.required("id") { (json) throws(PositionedError) -> String? in
      let text = try json.text(longest: Self.longestIdentifier, "\"id\"")
      if !text.isEmpty, text.isInert { return text }
      throw PositionedError(json.position, "expected 1 to \(Self.longestIdentifier) printable characters for \"id\"")
    }
    deadline = object.optional("deadline") { (json) throws(PositionedError) in try json.moment() }
    reply = object.optional("reply") { (json) throws(PositionedError) in try json.text(longest: 512, "\"reply\"") }
    let action = Self.action(&object, mistakes)
    object.finish()
    guard let identifier, let action, mistakes.count == 0 else {
      let reason = mistakes.all.prefix(5).map(\.message).joined(separator: "; ")
      throw Refusal(identifier: identifier, reason: reason, isEcho: isEcho)
    }
    self.identifier = identifier
    self.action = action
  }

  private static func action(_ object: inout FileObject, _ mistakes: MistakeList) -> Action? {
    let command = object.optional("command") { (json) throws(PositionedError) in
      try json.text(longest: 64, "\"command\"")
    }
    let values = object.optional("values") { (json) throws(PositionedError) -> [String: FieldValue] in
      var values: [String: FieldValue] = [:]
      for member in try json.table("fields", most: 64) { values[member.key] = try member.value.fieldValue() }
      return values
    }
    let path = object.optional("write") { (json) throws(PositionedError) in try json.path() }
    let value = object.optional("value") { (json) in Self.octets(json, mistakes) }
    let withResponse = object.optional("with_response") { (json) throws(PositionedError) in try json.boolean() }
    switch (command, path, value) {
    case (let command?, nil, nil): return .perform(command, values ?? [:])
    case (nil, let path?, let value?): return .write(path, value, withResponse: withResponse ?? true)
    default:
      mistakes.note(
        PositionedError(object.json.position, "a command needs either \"command\", or \"write\" and \"value\""))
      return nil
    }
  }

  /// `{"hex": "4f77"}` or `{"utf8": "Ow"}`.
  private static func octets(_ json: PositionedJSON, _ mistakes: MistakeList) -> Data? {
    guard var object = FileObject(json, "\"value\"", mistakes) else { return nil }
    let digits = object.optional("hex") { (json) throws(PositionedError) in try json.octets(0...512, "the value") }
    let text = object.optional("utf8") { (json) throws(PositionedError) in try json.text(longest: 512, "the value") }
    object.finish()
    if let digits, text == nil { return digits }
    if let text, digits == nil { return Data(text.utf8) }
    mistakes.note(PositionedError(json.position, "\"value\" needs either \"hex\" or \"utf8\""))
    return nil
  }
}

extension PositionedJSON {
  /// A moment in ISO 8601 with its zone, with or without fractions of a second.
  fileprivate func moment() throws(PositionedError) -> Date {
    let text = try text(longest: 40, "a moment")
    for hasFraction in [true, false] {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
      if let date = try? style.parse(text) { return date }
    }
    throw PositionedError(position, "expected a moment such as \"2026-11-22T10:30:05.250Z\", found '\(text.inert)'")
  }
}
