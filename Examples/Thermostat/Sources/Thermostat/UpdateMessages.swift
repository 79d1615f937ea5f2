import Foundation

/// What the app asks of the thermostat about an update.
public enum UpdateCommand: Equatable, Sendable {
  /// The image that follows. A device that has part of this image continues, otherwise it begins with nothing.
  case begin(size: UInt32, checksum: UInt16)

  public var octets: Data {
    switch self {
    case .begin(let size, let checksum): Data([0x01]) + Data(littleEndian: size) + Data(littleEndian: checksum)
    }
  }

  public init?(_ octets: Data) {
    guard octets.count == 7, octets.first == 0x01, let size = octets.littleEndian(UInt32.self, at: 1),
      let checksum = octets.littleEndian(UInt16.self, at: 5)
    else { return nil }
    self = .begin(size: size, checksum: checksum)
  }
}

/// What the thermostat notifies about an update.
public enum UpdateAnswer: Equatable, Sendable {
  /// All octets before this offset are stored and were checked: the next block begins there.
  case expects(offset: UInt32)
  /// The whole image was checked and is in use.
  case complete

  public var octets: Data {
    switch self {
    case .expects(let offset): Data([0x01]) + Data(littleEndian: offset)
    case .complete: Data([0x02])
    }
  }

  public init?(_ octets: Data) {
    switch (octets.first, octets.count) {
    case (0x01, 5):
      guard let offset = octets.littleEndian(UInt32.self, at: 1) else { return nil }
      self = .expects(offset: offset)
    case (0x02, 1): self = .complete
    default: return nil
    }
  }
}

/// CRC-16 with the polynomial 0x1021 and the start value 0xFFFF.
public enum Checksum {
  public static func of(_ octets: Data) -> UInt16 {
    octets.reduce(0xFFFF) { sum, octet in
      (0..<8).reduce(sum ^ UInt16(octet) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
  }
}
