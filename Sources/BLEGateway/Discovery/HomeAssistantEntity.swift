import BLEReports

/// One entity of Home Assistant's MQTT discovery: a retained message that tells it where a value is published, or a command taken.
///
/// Source: Home Assistant's documentation of MQTT discovery and of the MQTT integrations that `Component` names.
package struct HomeAssistantEntity: Sendable, Equatable {
  /// The integrations that are used here.
  package enum Component: String, Sendable, CaseIterable {
    case binarySensor = "binary_sensor"
    case deviceTracker = "device_tracker"
    case button, number, select, sensor, `switch`, text
  }

  package let component: Component
  /// Names the entity in Home Assistant, the same for ever.
  package let identifier: String
  /// Where the message is published, retained. An empty message there removes the entity.
  package let topic: String
  package let json: JSONValue

  package init(component: Component, identifier: String, topic: String, json: JSONValue) {
    (self.component, self.identifier, self.topic, self.json) = (component, identifier, topic, json)
  }

  /// The message.
  package var payload: String { json.text }

  /// A text as a part of an identifier, which may have letters, digits, `_` and `-`. Different texts become different parts: what cannot
  /// stand there is `_` with its hexadecimal digits, and `_` is doubled.
  static func part(_ text: String) -> String {
    var part = ""
    for octet in text.utf8 {
      switch octet {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: part.unicodeScalars.append(Unicode.Scalar(octet))
      case 0x5F: part += "__"
      default: part += "_" + (octet < 16 ? "0" : "") + String(octet, radix: 16)
      }
    }
    return part
  }

  /// Parts in a row: no part has `_-` in it.
  static func identifier(_ parts: String...) -> String { parts.map(part).joined(separator: "_-") }

  /// `bolt-moved`: `Bolt moved`.
  static func label(_ name: String) -> String {
    let words = name.split { "-_.".contains($0) }.joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
