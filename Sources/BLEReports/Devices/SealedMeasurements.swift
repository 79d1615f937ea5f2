import BLECore

/// Encrypted measurements of a sensor, as BTHome's version 2 has them (https://bthome.io/encryption/): AES-CCM with a key of 16 octets,
/// a nonce of 13, a check of 4, and no additional data.
package struct SealedMeasurements: Equatable, Sendable {
  /// The sensor's address, if the frame says it itself: in octets as on the air.
  package let address: [UInt8]?
  /// The encrypted measurements, which may be none, followed by their check.
  package let sealed: [UInt8]
  /// Which the sensor counts up.
  package let counter: UInt32
  private let information: UInt8

  /// The octets of the counter and of the check.
  static let trailer = 8
  private static let counterLength = 4

  /// - Returns: `nil` for the data of another service, of another version, without encryption, or that is too short.
  package init?(service: String, data: [UInt8]) {
    guard BLEUUID(service)?.short == BeaconFrame.bthome, let information = data.first,
      Int(information >> 5) == BeaconFrame.bthomeVersion, information & 0x01 != 0
    else { return nil }
    let addressLength = information & 0x02 != 0 ? 6 : 0
    guard data.count >= 1 + addressLength + Self.trailer else { return nil }
    let rest = data.dropFirst(1 + addressLength)
    self.information = information
    address = addressLength > 0 ? Array(data[1...addressLength]) : nil
    let counter = rest.dropLast(Self.trailer - Self.counterLength).suffix(Self.counterLength)
    self.counter = counter.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    sealed = rest.dropLast(Self.trailer) + rest.suffix(Self.trailer - Self.counterLength)
  }

  /// 13 octets, which never repeat with one key as long as the counter rises.
  package func nonce(of sensor: DeviceAddress) -> [UInt8] {
    let service = [UInt8(truncatingIfNeeded: BeaconFrame.bthome), UInt8(truncatingIfNeeded: BeaconFrame.bthome >> 8)]
    let counted = (0..<UInt32(Self.counterLength)).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    return sensor.octets.reversed() + service + [information] + counted
  }
}
