import CoreBluetooth

/// Stores its data under the objects themselves.
final class ObjectsAsKeys: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral = try unwrap(link.peripheral)
    var names: [CBPeripheral: String] = [peripheral: "mine"]
    names[peripheral, default: ""] += " and yours"
    try check(names[peripheral] == "mine and yours")
    var seen: Set<CBPeripheral> = []
    try check(seen.insert(peripheral).inserted && !seen.insert(peripheral).inserted)
    let handlers: [CBCharacteristic: Int] = Dictionary(
      uniqueKeysWithValues: (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }.enumerated().map {
        ($0.element, $0.offset)
      })
    try check(handlers[try unwrap(link.characteristic(Sensor.level))] != nil)
    let services = Set(peripheral.services ?? [])
    try check(services.count == 3 && services.contains(try unwrap(link.service(Sensor.battery))))
    let table = NSMutableDictionary()
    table[peripheral.identifier as NSUUID] = "by identifier"
    try check(table[peripheral.identifier as NSUUID] as? String == "by identifier")
    let byIdentifier: [UUID: CBPeripheral] = [peripheral.identifier: peripheral]
    try check(byIdentifier[peripheral.identifier] === peripheral)
    try check(ObjectIdentifier(peripheral) == ObjectIdentifier(try unwrap(names.keys.first)))
    withExtendedLifetime(sensor) {}
  }
}
