import BLECore
import BLEText
import Foundation

/// A kind of measurement in BTHome's version 2 (https://bthome.io/format/), by its identifier.
struct BTHomeObject: Sendable {
  enum Kind: Sendable {
    /// Little-endian, divided by `divisor` behind a multiplication.
    case number(Int, isSigned: Bool, divisor: Double, factor: Double)
    /// 0 and 1 as words.
    case words(String, String)
    /// Behind an octet that says its length.
    case text, raw
    /// Seconds since 1970.
    case moment
    case button, dimmer
    /// Octets from the most significant to the least, as `4.3.2.1`.
    case release(Int)

    /// In octets; `nil` where the message says it.
    var length: Int? {
      switch self {
      case .number(let width, _, _, _), .release(let width): width
      case .words, .button: 1
      case .dimmer: 2
      case .moment: 4
      case .text, .raw: nil
      }
    }
  }

  let name: String
  let unit: String?
  let kind: Kind

  /// What the octets behind the identifier say; `nil` for a text that is none.
  func value(_ octets: ArraySlice<UInt8>) -> BeaconField.Value? {
    let number = Self.number(octets, isSigned: false)
    switch kind {
    case .number(_, let isSigned, let divisor, let factor):
      let number = Self.number(octets, isSigned: isSigned)
      return divisor == 1 && factor == 1
        ? .integer(number) : .number(Double(number) * factor / divisor)
    case .words(let off, let on):
      return number > 1 ? .integer(number) : .text(number == 1 ? on : off)
    case .text: return String(validating: octets.dropFirst(), as: UTF8.self).map { .text($0.inert) }
    case .raw: return .text(octets.dropFirst().hexadecimal)
    case .moment: return .text(Date(timeIntervalSince1970: Double(number)).formatted(.iso8601))
    case .button: return Self.presses[number].map { .text($0) } ?? .integer(number)
    case .dimmer:
      let (event, steps) = (octets.first ?? 0, octets.dropFirst().first ?? 0)
      return event == 0
        ? .text("none")
        : .text("\(event == 1 ? "left" : event == 2 ? "right" : "event \(event)") \(steps)")
    case .release: return .text(octets.reversed().map { String($0) }.joined(separator: "."))
    }
  }

  /// Of at most four octets, the least significant first.
  static func number(_ octets: ArraySlice<UInt8>, isSigned: Bool) -> Int {
    let unsigned = octets.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let bits = octets.prefix(4).count * 8
    return isSigned && bits > 0 && unsigned >> (bits - 1) == 1 ? unsigned - (1 << bits) : unsigned
  }

  private static let presses = [
    0x00: "none", 0x01: "press", 0x02: "double press", 0x03: "triple press", 0x04: "long press",
    0x05: "long double press", 0x06: "long triple press", 0x80: "hold",
  ]
}
