import BLECore
import BLECrypto
import BLEHost
import BLEState

extension Fuzzer {
  private static let adapter = DeviceAddress(0xC000_0000_0001, kind: .random)

  /// The file that keeps bonds. What is read as whole is read as the same when it is written again.
  static let bonds = Fuzzer(name: "bonds") { octets in
    // The check at the end would keep nearly everything out: each input is tried as it is, and with the check that fits.
    for octets in [octets, sealed(octets)] {
      guard let records = BondText.decode(octets, of: adapter) else { continue }
      let written = BondText.encode(records, of: adapter)
      let again = BondText.decode(written, of: adapter).map { BondText.encode($0, of: adapter) }
      require(again == written, "bonds are read otherwise than they were written")
    }
  } seeds: {
    let text = """
      swift-corebluetooth bonds 1 random c00000000001 000102030405060708090a0b0c0d0e0f
      bond random c10000000001 numeric-comparison secure 16 plain
       central 000102030405060708090a0b0c0d0e0f 0000 0000000000000000
       peripheral 000102030405060708090a0b0c0d0e0f 1234 fedcba9876543210
       resolving 000102030405060708090a0b0c0d0e0f
       signing 000102030405060708090a0b0c0d0e0f 00000040
       verifying 000102030405060708090a0b0c0d0e0f -
       client 01 - 000102030405060708090a0b0c0d0e0f 0003:0001 0009:0002

      """
    return [Array(text.utf8), sealed(Array(text.utf8))]
  }

  /// With the last line that belongs to these.
  private static func sealed(_ body: [UInt8]) -> [UInt8] {
    let count = body.split(separator: 0x0A).count { $0.starts(with: "bond ".utf8) }
    let check = String(StoredText.check(body), radix: 16)
    return body + Array("end \(count) \(String(repeating: "0", count: 8 - check.count))\(check)\n".utf8)
  }

  /// What is kept of a peer's database. What is read can be kept again, and is the same then.
  static let layout = Fuzzer(name: "layout") { octets in
    guard let layout = RemoteLayout(record: octets) else { return }
    guard let record = layout.record else { fatalError("a layout that was read cannot be kept") }
    require(RemoteLayout(record: record)?.record == record, "a layout is read otherwise than it was written")
  } seeds: {
    let hash = Array(0..<16 as Range<UInt8>)
    let service: [UInt8] = [1, 0, 9, 0, 1, 2, 0x30, 0xFF]
    let characteristic: [UInt8] = [2, 0, 0x12, 3, 0, 2, 0x31, 0xFF]
    let descriptor: [UInt8] = [4, 0, 2, 0x02, 0x29]
    let range: [UInt8] = [1, 0, 1, 0, 9, 0]
    return [
      [1] + hash + [UInt8](repeating: 0, count: 18),
      [1] + hash + [1, 0] + service + [0, 0, 1, 0] + characteristic + [1, 0] + descriptor
        + [[UInt8]](repeating: range, count: 5).joined(),
    ]
  }
}
