import CoreBluetooth

/// A typed characteristic: a UUID and how to read its octets.
struct Characteristic<Value> {
  let uuid: CBUUID
  let decode: (Data) throws -> Value
}

extension Characteristic where Value == Int {
  static var batteryLevel: Characteristic<Int> {
    Characteristic(uuid: CBUUID(string: "2A19")) { data in
      guard let first = data.first else { throw CBATTError(.invalidAttributeValueLength) }
      return Int(first)
    }
  }
}

final class GenericWrapper: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let wanted = Characteristic.batteryLevel
    let characteristic = try unwrap(link.characteristic(wanted.uuid.uuidString))
    try check(characteristic.value == nil)
    link.peripheral?.readValue(for: characteristic)
    try await stage.wait { characteristic.value != nil }
    try check(try wanted.decode(try unwrap(characteristic.value)) == 87)
    do {
      _ = try wanted.decode(Data())
      throw CheckFailure(description: "nothing was decoded")
    } catch CBATTError.invalidAttributeValueLength {
    }
    withExtendedLifetime(sensor) {}
  }
}
