import BLECore
import BLEText
import Foundation

/// Source: https://bthome.io/format/, BTHome's version 2.
extension BeaconFrame {
  static let bthome: UInt16 = 0xFCD2
  static let bthomeVersion = 2

  /// What has become of encrypted measurements.
  package enum Opening: Sendable {
    /// The octets under the encryption.
    case plain([UInt8])
    /// They cannot be read, or are not to be believed, for this reason.
    case refused(String)
  }

  /// Measurements of a sensor in the data of BTHome's service.
  /// - Parameter opening: of encrypted ones; `nil`: there is no key.
  /// - Returns: `nil` for the data of another service.
  package init?(bthome service: String, data: [UInt8], opening: Opening? = nil) {
    guard BLEUUID(service)?.short == Self.bthome else { return nil }
    var reader = BeaconReader(data)
    Self.readMeasurements(&reader, opening)
    self.init(.bthome, service: service, reader)
  }

  private static func readMeasurements(_ reader: inout BeaconReader, _ opening: Opening?) {
    let information = reader.next
    reader.field("Device information", 1, isFraming: true, BeaconReader.code)
    guard let information else { return }
    let version = Int(information >> 5)
    guard version == bthomeVersion else {
      return reader.complain(
        "version \(version) of BTHome, and \(bthomeVersion) is the one that is known")
    }
    if information & 0x02 != 0 {
      reader.field("Device address", 6) { BeaconReader.address($0.reversed()) }
    }
    guard information & 0x01 == 0 else {
      return reader.sealed("Encrypted measurements", counter: 4, opening) { readObjects(&$0) }
    }
    readObjects(&reader)
  }

  private static func readObjects(_ reader: inout BeaconReader) {
    while let identifier = reader.next {
      guard let object = BTHomeObject.all[identifier] else {
        let name = [identifier].hexadecimal.uppercased()
        return reader.complain("object 0x\(name) is not known, and so where the next one begins")
      }
      guard read(object, identifier, &reader) else { return }
    }
  }

  /// An object is a field, with the identifier in its first octet. Returns whether there may be another behind it.
  private static func read(_ object: BTHomeObject, _ identifier: UInt8, _ reader: inout BeaconReader) -> Bool {
    var length = object.kind.length
    if length == nil {
      guard let said = reader.second else {
        reader.field(object.name, 2, BeaconReader.nothing)
        return false
      }
      length = 1 + Int(said)
    }
    let whole = 1 + (length ?? 0)
    let isThere = reader.left >= whole
    var isReadable = true
    let measurement = object.measurement(identifier)
    reader.field(object.name, whole, unit: object.unit, measurement: measurement) { octets in
      guard let value = object.value(octets.dropFirst()) else {
        isReadable = false
        return .none
      }
      return value
    }
    if !isReadable { reader.complain("\(object.name) is no UTF-8") }
    return isThere
  }
}
