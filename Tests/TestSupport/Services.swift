import CoreBluetooth

extension CBMutableService {
  public convenience init(_ uuid: String, _ characteristics: [CBMutableCharacteristic] = [], primary: Bool = true) {
    self.init(type: .of(uuid), primary: primary)
    self.characteristics = characteristics
  }
}

extension CBMutableCharacteristic {
  public convenience init(
    _ uuid: String, _ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions = .readable,
    value: Data? = nil
  ) {
    self.init(type: .of(uuid), properties: properties, value: value, permissions: permissions)
  }
}

extension CBDescriptor {
  /// The user's description of a characteristic, to be published.
  public static func userDescription(_ text: String) -> CBDescriptor {
    CBMutableDescriptor(type: .of(CBUUIDCharacteristicUserDescriptionString), value: text)
  }
}

extension CBUUID {
  public static func of(_ text: String) -> CBUUID { CBUUID(string: text) }
}

extension Data {
  /// Two digits for each byte, without separators.
  public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
