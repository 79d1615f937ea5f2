/// Why processes cannot communicate on an air, or a device's identity cannot be acquired.
public struct SharedAirError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Equatable, Sendable {
    /// The name is not valid for an air or a device.
    case invalidName
    /// A folder of the path can be accessed by others, or cannot be made.
    case folder
    /// The operating system refused a socket.
    case socket
    /// Too many devices with this name are in use.
    case inUse
  }

  /// The kind of failure.
  public let kind: Kind
  /// A sentence for people that says what happened and what to do about it.
  public let description: String

  /// - Parameter description: a sentence for people.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// Names of airs and devices, which become names of files.
enum PlainName {
  static let lengthLimit = 48

  static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= lengthLimit && name.utf8.first != 0x2E
      && name.utf8.allSatisfy(isPlain)
  }

  /// The nearest name that is valid.
  static func plain(_ name: some StringProtocol) -> String {
    var octets = name.utf8.prefix(lengthLimit).map { isPlain($0) ? $0 : 0x2D }
    if octets.isEmpty { return "device" }
    if octets[0] == 0x2E { octets[0] = 0x2D }
    return String(decoding: octets, as: UTF8.self)
  }

  private static func isPlain(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
