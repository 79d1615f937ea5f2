import CoreBluetooth

/// Sorts and maps by key paths.
final class KeyPaths: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let services = link.peripheral?.services ?? []
    let uuids = services.map(\.uuid).map(\.uuidString).sorted()
    try check(uuids == ["180D", "180F", Sensor.serial])
    let counts = services.compactMap(\.characteristics?.count).reduce(0, +)
    try check(counts == 6)
    let name: KeyPath<CBPeripheral, String?> = \.name
    try check(link.peripheral?[keyPath: name] == link.peripheral?.name)
    let delegate: ReferenceWritableKeyPath<CBPeripheral, CBPeripheralDelegate?> = \.delegate
    link.peripheral?[keyPath: delegate] = nil
    try check(link.peripheral?.delegate == nil)
    let grouped = Dictionary(grouping: services.flatMap { $0.characteristics ?? [] }, by: \.properties.rawValue)
    try check(grouped[CBCharacteristicProperties.read.rawValue]?.count == 2)
    withExtendedLifetime(sensor) {}
  }
}
