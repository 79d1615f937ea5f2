import BLECore
import Foundation

/// The value of a descriptor, with the type that Core Bluetooth gives it.
enum DescriptorValue: Equatable, Sendable {
  case text(String)
  case number(Int)
  case octets([UInt8])

  init(_ value: Any?) {
    switch value {
    case let text as String: self = .text(text)
    case let data as Data: self = .octets(Array(data))
    case let number as NSNumber: self = .number(number.intValue)
    default: self = .octets([])
    }
  }

  var description: String {
    switch self {
    case .text(let text): "\"\(text.inert)\""
    case .number(let number): String(number)
    case .octets(let octets): ValueText(octets).description
    }
  }

  var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    case .octets(let octets): ValueText(octets).json
    }
  }
}
