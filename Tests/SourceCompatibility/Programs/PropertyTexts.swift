import CoreBluetooth

extension CBCharacteristicProperties {
  /// What an explorer shows beside a characteristic.
  var words: [String] {
    let all: [(CBCharacteristicProperties, String)] = [
      (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write without response"), (.write, "write"),
      (.notify, "notify"), (.indicate, "indicate"), (.authenticatedSignedWrites, "signed"),
      (.extendedProperties, "extended"), (.notifyEncryptionRequired, "secret notify"),
      (.indicateEncryptionRequired, "secret indicate"),
    ]
    return all.filter { contains($0.0) }.map { $0.1 }
  }
}

final class PropertyTexts: Program {
  func run(on stage: any Stage) async throws {
    let properties: CBCharacteristicProperties = [.read, .notify]
    try check(properties.words == ["read", "notify"])
    try check(properties.union(.write).rawValue == 0x1A)
    try check(CBCharacteristicProperties(rawValue: 0x30) == [.notify, .indicate])
    try check(!properties.isDisjoint(with: [.notify, .indicate]))
    try check(properties.subtracting(.read) == .notify)
    var changing = properties
    changing.insert(.writeWithoutResponse)
    changing.remove(.read)
    try check(changing.words == ["write without response", "notify"])
    let permissions: CBAttributePermissions = [.readable, .writeEncryptionRequired]
    try check(permissions.rawValue == 9 && permissions.contains(.readable))
    try check(CBCharacteristicProperties().isEmpty && CBAttributePermissions([]).isEmpty)
  }
}
