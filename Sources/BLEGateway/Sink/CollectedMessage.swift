import BLECore
import BLEReports
import BLESession
import BLEText
import CoreBluetooth

/// A message of a gateway that was collected. Its texts come from devices and gateways: they have to be made inert before they are shown.
package struct CollectedMessage: Sendable {
  package var key: String
  package var gateway: String
  /// The device's name in topics.
  package var device: String?
  package var event: String
  /// As the gateway has said it.
  package var time: String
  /// The whole message, in the order of its members.
  package var payload: JSONValue

  /// The identifier, address and name of the device, where the message has them.
  package var identifier: String? { text("identifier") }
  package var address: String? { text("address") }
  package var name: String? { text("name") }

  package func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = payload else { return nil }
    return members.first { $0.key == name && $0.value != .null }?.value
  }

  package func text(_ name: String) -> String? {
    if case .string(let text)? = member(name) { text } else { nil }
  }

  package func number(_ name: String) -> Double? {
    switch member(name) {
    case .integer(let number)?: Double(number)
    case .number(let number)?: number
    default: nil
    }
  }

  /// The octets of a value.
  package var octets: Data? {
    guard case .object(let members)? = member("value"),
      case .string(let text)? = members.first(where: { $0.key == "hex" })?.value
    else { return nil }
    return [UInt8](hexadecimal: text).map { Data($0) }
  }

  /// The members that say more than whose message it is, and of which event.
  package var detail: JSONValue {
    guard case .object(let members) = payload else { return .null }
    return .object(members.filter { !Self.common.contains($0.key) })
  }

  private static let common: Set = ["key", "event", "time", "gateway", "device", "identifier", "address", "name"]

  /// The kinds of messages in which there are rows of one table.
  package enum Kind: Sendable, CaseIterable {
    case value, strength, event

    /// By the word that a message has as its `event`; everything else is an event.
    package init(_ event: String) {
      self =
        switch event {
        case "value", "notification": .value
        case "rssi", "discovered": .strength
        default: .event
        }
    }
  }
}

/// A device of which something was collected.
package struct CollectedDevice: Sendable {
  /// Its name in topics.
  package var device: String
  package var identifier: String?
  package var address: String?
  package var name: String?
  /// The times of its first and last message.
  package var first: String
  package var last: String
  package var messages: Int
  /// The gateway of the last message.
  package var gateway: String?
}

/// How much a collected file has.
package struct CollectedSummary: Sendable, Equatable {
  package var first: String?
  package var last: String?
  package var gateways = 0
  package var devices = 0
  package var values = 0
  package var strengths = 0
  package var events = 0
  /// In octets.
  package var size = 0
}

extension JSONValue {
  /// A document that was read. Numbers without a fraction are whole ones.
  package init(_ json: PositionedJSON) {
    self =
      switch json.content {
      case .null: .null
      case .bool(let isTrue): .bool(isTrue)
      case .number(let number): Int(exactly: number).map { .integer($0) } ?? .number(number)
      case .string(let text): .string(text)
      case .array(let elements): .array(elements.map { JSONValue($0) })
      case .object(let members): .object(members.map { Member(key: $0.key, value: JSONValue($0.value)) })
      }
  }
}
