import BLESession
import Foundation

/// The layout of a message: constants and fields, in their order.
public struct MessageLayout: Sendable, Hashable {
  /// A part of a message.
  public enum Part: Sendable, Hashable {
    /// Constant octets.
    case constant(Data)
    /// A field.
    case field(DescribedField)
  }

  /// The frame's type; `nil` if frames have none.
  public var type: UInt32?
  /// The parts, in their order.
  public var parts: [Part]

  /// A layout of these parts.
  public init(type: UInt32? = nil, parts: [Part] = []) {
    self.type = type
    self.parts = parts
  }

  /// The fields among the parts.
  public var fields: [DescribedField] {
    parts.compactMap { if case .field(let field) = $0 { field } else { nil } }
  }
}

extension MessageLayout {
  /// Encodes a message with these values; a field without one has its default.
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

  /// Decodes a message; `nil` if it does not match. One field may take the rest of the message.
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
  /// Octets on the air; `nil` if it depends on the message.
  var width: Int? {
    switch self {
    case .constant(let octets): octets.count
    case .field(let field): field.width
    }
  }
}

/// A message without its frame: its type, if frames have one, and its payload.
struct DescribedMessage: Sendable, Hashable {
  var type: UInt32?
  var payload: Data
}
