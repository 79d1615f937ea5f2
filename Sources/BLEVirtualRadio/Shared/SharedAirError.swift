/// Why processes cannot meet on an air, or a device's identity cannot be had.
public struct SharedAirError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What to do about it depends on this.
  public enum Kind: Equatable, Sendable {
    /// The name cannot be that of an air or of a device.
    case invalidName
    /// A folder on the way is not ours alone, or cannot be made.
    case folder
    /// The operating system refused a socket.
    case socket
    /// Too many devices of one name are in use.
    case inUse
  }

  /// What went wrong.
  public let kind: Kind
  /// A sentence for people that says what happened and what to do.
  public let description: String

  /// - Parameter description: a sentence for people.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// Names of airs and devices: they become names of files.
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
