import BLECore

/// Source: https://github.com/MiEcosystem/miio_open/blob/master/ble/02-%E7%B1%B3%E5%AE%B6BLE%20MiBeacon%E5%8D%8F%E8%AE%AE.md, Xiaomi's MiBeacon.
extension BeaconFrame {
  static let miBeacon: UInt16 = 0xFE95

  /// The bits of a frame's first two octets.
  struct MiBeaconControl: Sendable {
    let bits: UInt16

    var isEncrypted: Bool { bits & 0x0008 != 0 }
    var hasAddress: Bool { bits & 0x0010 != 0 }
    var hasCapability: Bool { bits & 0x0020 != 0 }
    var hasObject: Bool { bits & 0x0040 != 0 }
    var isMesh: Bool { bits & 0x0080 != 0 }
    var version: Int { Int(bits >> 12) }

    /// From this version on the encryption is AES-CCM with a check of four octets. Before, it has next to none.
    static let firstChecked = 4
    static let known = 2...5
  }

  /// Of a frame's capability: two more octets follow.
  static let miBeaconInput: UInt8 = 0x20

  /// Events and properties in the data of Xiaomi's service.
  /// - Parameter opening: of encrypted ones; `nil`: there is no key.
  /// - Returns: `nil` for the data of another service.
  package init?(miBeacon service: String, data: [UInt8], opening: Opening? = nil) {
    guard BLEUUID(service)?.short == Self.miBeacon else { return nil }
    var reader = BeaconReader(data)
    Self.readMiBeacon(&reader, data, opening)
    self.init(.miBeacon, service: service, reader)
  }

  private static func readMiBeacon(_ reader: inout BeaconReader, _ data: [UInt8], _ opening: Opening?) {
    let control = MiBeaconControl(bits: UInt16(data.first ?? 0) | UInt16(data.dropFirst().first ?? 0) << 8)
    let product = UInt16(data.dropFirst(2).first ?? 0) | UInt16(data.dropFirst(3).first ?? 0) << 8
    reader.field("Frame control", 2, isFraming: true) { code($0) }
    reader.field("Product", 2) { code($0) }
    reader.field("Frame counter", 1, isFraming: true, BeaconReader.unsigned)
    guard reader.left > 0 else { return }
    guard MiBeaconControl.known.contains(control.version) else {
      return reader.complain("version \(control.version) of MiBeacon is not known")
    }
    guard !control.isMesh else { return reader.complain("a frame of Xiaomi's mesh, which has no measurements") }
    if control.hasAddress { reader.field("Device address", 6) { BeaconReader.address($0.reversed()) } }
    if control.hasCapability {
      let hasInput = (reader.next ?? 0) & miBeaconInput != 0
      reader.field("Capability", 1, isFraming: true, BeaconReader.code)
      if hasInput {
        // How long it is, is not written alike everywhere; there are no measurements while it is sent.
        if !control.hasObject { reader.field("Input and output", reader.left, isFraming: true, BeaconReader.digits) }
        return control.hasObject ? reader.complain("an object behind an input and output capability") : ()
      }
    }
    guard control.hasObject else { return }
    guard control.isEncrypted else { return readObjects(&reader, of: product) }
    readEncrypted(&reader, control, product, opening)
  }

  private static func code(_ octets: ArraySlice<UInt8>) -> BeaconField.Value {
    BeaconReader.code(Array(octets.reversed())[...])
  }

  // MARK: Objects

  private static func readObjects(_ reader: inout BeaconReader, of product: UInt16) {
    while reader.left > 0 {
      let octets = reader.rest(3)
      guard octets.count == 3 else { return reader.field("Object", 3, BeaconReader.nothing) }
      let identifier = UInt16(octets[octets.startIndex]) | UInt16(octets[octets.startIndex + 1]) << 8
      let length = Int(octets[octets.startIndex + 2])
      let object = MiBeaconObject.known(identifier, of: product)
      let name = object?.fields.first?.name ?? "Object 0x" + identifier.hexadecimal
      guard let object, reader.left >= 3 + length else {
        reader.field(name, 3 + length) { BeaconReader.digits($0.dropFirst(3)) }
        continue
      }
      let data = reader.rest(3 + length).dropFirst(3)
      guard object.length == length, object.fields.allSatisfy({ $0.isPossible(in: data) }) else {
        reader.complain("\(name) has a length or value that it cannot have")
        reader.field(name, 3 + length, BeaconReader.nothing)
        continue
      }
      reader.fixed(object.fields, length, behind: 3)
    }
  }

  /// Only who has the sensor's key can read these.
  private static func readEncrypted(
    _ reader: inout BeaconReader, _ control: MiBeaconControl, _ product: UInt16, _ opening: Opening?
  ) {
    guard control.version >= MiBeaconControl.firstChecked else {
      return reader.field("Encrypted objects, without a check", reader.left, BeaconReader.digits)
    }
    reader.sealed("Encrypted objects", counter: 3, opening) { readObjects(&$0, of: product) }
  }
}

extension UInt16 {
  /// Four digits.
  fileprivate var hexadecimal: String {
    [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)].hexadecimal.uppercased()
  }
}
