import CoreBluetooth

/// The octets of an advertisement, for devices for which the test gives every octet (Core, Vol 3 Part C, 11).
enum AdvertisingData {
  static func name(_ name: String) -> [UInt8] { structure(0x09, Array(name.utf8)) }

  static func manufacturer(_ company: UInt16, _ content: [UInt8]) -> [UInt8] {
    structure(0xFF, [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + content)
  }

  private static func structure(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
    [UInt8(content.count + 1), type] + content
  }
}
