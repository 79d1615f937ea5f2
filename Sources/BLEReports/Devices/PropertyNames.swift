import CoreBluetooth

extension CBCharacteristicProperties {
  /// All properties by Apple's names.
  package static let named: [(property: CBCharacteristicProperties, name: String)] = [
    (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"), (.write, "write"),
    (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "authenticatedSignedWrites"),
    (.extendedProperties, "extendedProperties"), (.notifyEncryptionRequired, "notifyEncryptionRequired"),
    (.indicateEncryptionRequired, "indicateEncryptionRequired"),
  ]

  package var names: [String] { Self.named.filter { contains($0.property) }.map(\.name) }
}
