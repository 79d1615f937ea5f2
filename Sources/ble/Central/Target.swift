import BLECore
import Foundation

/// The device that a command is for.
enum Target: Equatable, Sendable, CustomStringConvertible {
  /// The advertised name, exactly.
  case name(String)
  /// The identifier that this machine assigned to the device.
  case identifier(UUID)
  /// The device's address as a number; public or random.
  case address(UInt64)

  var description: String {
    switch self {
    case .name(let name): "'\(name.inert)'"
    case .identifier(let identifier): identifier.uuidString
    case .address(let value): DeviceAddress(value, kind: .public).description
    }
  }
}

extension Target: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    if argument.isEmpty { throw ArgumentValueError("expected a name, an identifier or an address") }
    if let identifier = UUID(uuidString: argument) {
      self = .identifier(identifier)
    } else if let address = DeviceAddress(argument, kind: .public) {
      self = .address(address.value)
    } else {
      self = .name(argument)
    }
  }
}

extension BLEUUID: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    guard let uuid = BLEUUID(argument) else {
      throw ArgumentValueError("expected a UUID: 4, 8 or 36 hexadecimal characters such as 180F")
    }
    self = uuid
  }
}
