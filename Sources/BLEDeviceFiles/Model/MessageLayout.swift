import BLESession
import Foundation

/// What a message is made of: octets that are always the same, and fields, in their order.
public struct MessageLayout: Sendable, Hashable {
  /// A piece of a message.
  public enum Part: Sendable, Hashable {
    /// Octets that are always the same.
    case constant(Data)
    /// A field.
    case field(DescribedField)
  }

  /// What the frame says it is; `nil` where frames have no type.
  public var type: UInt32?
  /// The pieces, in their order.
  public var parts: [Part]

  /// A message of these pieces.
  public init(type: UInt32? = nil, parts: [Part] = []) {
    self.type = type
    self.parts = parts
  }

  /// The fields among the pieces.
  public var fields: [DescribedField] {
    parts.compactMap { if case .field(let field) = $0 { field } else { nil } }
  }
}

extension MessageLayout {
  /// The message with these values; a field without one has its standard value.
  func encode(_ values: [String: FieldValue]) throws(FieldError) -> DescribedMessage {
    var payload = Data()
    for part in parts {
      switch part {
      case .constant(let octets): payload += octets
      case .field(let field):
        guard let value = values[field.name] ?? field.standard else {
          throw FieldError(field: field.name, expected: "a value is missing: expected \(field.expectation)")
        }
        payload += try field.encode(value)
      }
    }
    return DescribedMessage(type: type, payload: payload)
  }

  /// What the message says; `nil` where it is another one. One field may be as long as the message leaves room for.
  func decode(_ message: DescribedMessage) -> [FieldReading]? {
    guard type == nil || message.type == type else { return nil }
    let payload = message.payload
    let room = payload.count - parts.reduce(0) { $0 + ($1.width ?? 0) }
    guard room == 0 || room > 0 && parts.contains(where: { $0.width == nil }) else { return nil }
    var readings: [FieldReading] = []
    var position = payload.startIndex
    for part in parts {
      let octets = Data(payload[position..<position + (part.width ?? room)])
      position += octets.count
      switch part {
      case .constant(let expected): if octets != expected { return nil }
      case .field(let field):
        guard let reading = field.decode(octets) else { return nil }
        readings.append(reading)
      }
    }
    return readings
  }
}

extension MessageLayout.Part {
  /// Octets on the air; `nil` where the message decides.
  var width: Int? {
    switch self {
    case .constant(let octets): octets.count
    case .field(let field): field.width
    }
  }
}

/// A message without its frame: what it is, where frames say so, and what it says.
struct DescribedMessage: Sendable, Hashable {
  var type: UInt32?
  var payload: Data
}
