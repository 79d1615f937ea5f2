import BLECore

/// Encrypted measurements of a sensor: AES-CCM with a key of 16 octets and a check of 4.
///
/// BTHome's version 2 (https://bthome.io/encryption/) has a nonce of 13 octets and no additional data; Xiaomi's MiBeacon from its version 4 on
/// (https://github.com/MiEcosystem/miio_open, and the tests of https://github.com/Bluetooth-Devices/xiaomi-ble) has a nonce of 12 octets and one octet of
/// additional data.
package struct SealedMeasurements: Equatable, Sendable {
  /// How they are sealed.
  package enum Form: Hashable, Sendable {
    case bthome, miBeacon

    /// In octets.
    package var nonceLength: Int { self == .bthome ? 13 : 12 }
    package var additional: [UInt8] { self == .bthome ? [] : [0x11] }
  }

  package let form: Form
  /// The sensor's address, if the frame says it itself: in octets as on the air.
  package let address: [UInt8]?
  /// The encrypted measurements, which may be none, followed by their check.
  package let sealed: [UInt8]
  /// Which the sensor counts up.
  package let counter: UInt32
  /// What the nonce has behind the address.
  private let nonce: [UInt8]

  /// The octets of the counter and of the check.
  private static let trailer = 8
  private static let miBeaconTrailer = 7
  static let check = 4

  /// - Returns: `nil` for the data of another service, of another version, without encryption, or that is too short.
  package init?(service: String, data: [UInt8]) {
    switch BLEUUID(service)?.short {
    case BeaconFrame.bthome: self.init(bthome: data)
    case BeaconFrame.miBeacon: self.init(miBeacon: data)
    default: return nil
    }
  }

  private init?(bthome data: [UInt8]) {
    guard let information = data.first, Int(information >> 5) == BeaconFrame.bthomeVersion, information & 0x01 != 0
    else { return nil }
    let addressLength = information & 0x02 != 0 ? 6 : 0
    guard data.count >= 1 + addressLength + Self.trailer else { return nil }
    let rest = data.dropFirst(1 + addressLength)
    let counter = rest.dropLast(Self.check).suffix(Self.trailer - Self.check)
    let service = [UInt8(truncatingIfNeeded: BeaconFrame.bthome), UInt8(truncatingIfNeeded: BeaconFrame.bthome >> 8)]
    form = .bthome
    address = addressLength > 0 ? Array(data[1...addressLength]) : nil
    self.counter = counter.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    sealed = rest.dropLast(Self.trailer) + rest.suffix(Self.check)
    nonce = service + [information] + counter
  }

  private init?(miBeacon data: [UInt8]) {
    guard data.count >= 5 else { return nil }
    let control = BeaconFrame.MiBeaconControl(bits: UInt16(data[0]) | UInt16(data[1]) << 8)
    guard control.isEncrypted, control.hasObject, !control.isMesh,
      BeaconFrame.MiBeaconControl.known.contains(control.version),
      control.version >= BeaconFrame.MiBeaconControl.firstChecked
    else { return nil }
    var rest = data.dropFirst(5)
    address = control.hasAddress && rest.count >= 6 ? Array(rest.prefix(6)) : nil
    if control.hasAddress { rest = rest.dropFirst(6) }
    if control.hasCapability {
      guard let capability = rest.popFirst(), capability & BeaconFrame.miBeaconInput == 0 else { return nil }
    }
    guard rest.count >= Self.miBeaconTrailer else { return nil }
    let high = rest.dropLast(Self.check).suffix(Self.miBeaconTrailer - Self.check)
    form = .miBeacon
    // The frame's counter is the low octet of the one that rises.
    counter = high.reversed().reduce(0) { $0 << 8 | UInt32($1) } << 8 | UInt32(data[4])
    sealed = rest.dropLast(Self.miBeaconTrailer) + rest.suffix(Self.check)
    nonce = Array(data[2...4]) + high
  }

  /// As many octets as `form` has in a nonce, which never repeat with one key as long as the counter rises.
  package func nonce(of sensor: DeviceAddress) -> [UInt8] {
    let octets = sensor.octets
    return (form == .bthome ? octets.reversed() : octets) + nonce
  }
}
