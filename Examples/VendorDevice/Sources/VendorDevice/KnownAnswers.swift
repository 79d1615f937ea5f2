import CoreBluetooth
import Foundation

/// What the codecs must give, from the standards and from the vendor's data sheet: `VendorDevice check`.
enum KnownAnswers {
  /// Prints a line for each; false where one is wrong.
  static func check() -> Bool {
    let frame = Frame(sequence: 1, command: 0x10, payload: [])
    let octets = frame.octets(key: Vendor.nimbus.key)
    var damaged = octets
    damaged[3] ^= 0x01
    let advertised: [String: Any] = [
      CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 0xC0, 0xFF, 0xEE, 0, 0, 1])
    ]
    let cut: [String: Any] = [CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 0xC0])]
    let checks: [(String, Bool)] = [
      ("CRC-8/MAXIM of 123456789 is A1", CRC8.of("123456789".utf8) == 0xA1),
      ("CRC-8/MAXIM of nothing is 0", CRC8.of([]) == 0),
      ("XOR repeats the key", XOR.mix([1, 2, 3], with: [0xFF, 0x0F]) == [0xFE, 0x0D, 0xFC]),
      ("XOR with no key changes nothing", XOR.mix([1, 2], with: []) == [1, 2]),
      ("hexadecimal of both cases, with separators", Hexadecimal.octets("c0:FF-ee 01") == [0xC0, 0xFF, 0xEE, 1]),
      ("an odd number of digits is refused", Hexadecimal.octets("c0f") == nil),
      ("what are no digits is refused", Hexadecimal.octets("xy") == nil),
      ("a frame comes back", (try? Frame(octets: octets, key: Vendor.nimbus.key)) == frame),
      ("a damaged frame is refused", (try? Frame(octets: damaged, key: Vendor.nimbus.key)) == nil),
      ("a cut frame is refused", (try? Frame(octets: Array(octets.dropLast()), key: Vendor.nimbus.key)) == nil),
      (
        "an address out of manufacturer data",
        MACAddress(advertisement: advertised, of: .nimbus)?.description == "C0:FF:EE:00:00:01"
      ),
      ("no address out of too little", MACAddress(advertisement: cut, of: .nimbus) == nil),
    ]
    for (name, holds) in checks { print(holds ? "right: \(name)" : "WRONG: \(name)") }
    return checks.allSatisfy(\.1)
  }
}
