import CoreBluetooth

/// What the vendor's data sheet says. Another vendor is another value of this type.
struct Vendor {
  /// Names of devices differ in case from one production run to the next.
  let name: String
  let service: CBUUID
  /// Where commands are written, and where answers come from. They may be one and the same.
  let commands: CBUUID
  let answers: CBUUID
  /// Where manufacturer data holds the device's address: after two octets of company identifier.
  let addressOffset: Int
  /// What frames are mixed with.
  let key: [UInt8]

  static let nimbus = Vendor(
    name: "Nimbus", service: CBUUID(string: "FFB0"), commands: CBUUID(string: "FFB1"), answers: CBUUID(string: "FFB2"),
    addressOffset: 2, key: [0x5A, 0xC3, 0x96, 0x0F])

  /// The commands and what their first octet of an answer means: 0 for success.
  enum Command: UInt8 {
    /// Payload: four octets of the central's choice. Answer: the device's six octets of address and the four octets, mixed with
    /// the address.
    case hello = 0x01
    /// Answer: percent.
    case battery = 0x10
    /// Payload: percent of brightness.
    case light = 0x20
  }

  /// What the device answers to `hello`: only it knows its address, and the four octets are new each time.
  static func greeting(from address: MACAddress, to challenge: [UInt8]) -> [UInt8] {
    address.octets + XOR.mix(challenge, with: address.octets)
  }
}

/// The address that is printed on the device. Core Bluetooth never tells it: a device that wants to be told from others of its
/// kind says it itself.
struct MACAddress: Hashable, CustomStringConvertible {
  let octets: [UInt8]

  init?(octets: some Sequence<UInt8>) {
    self.octets = Array(octets)
    if self.octets.count != 6 { return nil }
  }

  /// `C0:FF:EE:00:00:01`, with or without separators, of either case.
  init?(_ text: String) {
    guard let octets = Hexadecimal.octets(text) else { return nil }
    self.init(octets: octets)
  }

  /// Out of an advertisement's manufacturer data; `nil` where there is none, or it is too short.
  init?(advertisement: [String: Any], of vendor: Vendor) {
    guard let data = advertisement[CBAdvertisementDataManufacturerDataKey] as? Data,
      data.count >= vendor.addressOffset + 6
    else { return nil }
    self.init(octets: data.dropFirst(vendor.addressOffset).prefix(6))
  }

  var description: String { octets.map { String(format: "%02X", $0) }.joined(separator: ":") }
}
