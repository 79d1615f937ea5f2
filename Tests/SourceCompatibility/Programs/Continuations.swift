import CoreBluetooth

/// Turns callbacks into `async` functions.
final class AsyncPeripheral: NSObject, CBPeripheralDelegate, @unchecked Sendable {
  private let peripheral: CBPeripheral
  private var pending: CheckedContinuation<Data, Error>?
  private(set) var answers = 0

  init(_ peripheral: CBPeripheral) {
    self.peripheral = peripheral
    super.init()
    peripheral.delegate = self
  }

  func read(_ characteristic: CBCharacteristic) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      pending = continuation
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    answers += 1
    if let error = error {
      pending?.resume(throwing: error)
    } else {
      pending?.resume(returning: characteristic.value ?? Data())
    }
    pending = nil
  }
}

final class Continuations: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral = AsyncPeripheral(try unwrap(link.peripheral))
    let level = try unwrap(link.characteristic(Sensor.level))
    let refusing = try unwrap(link.characteristic(Sensor.refusing))
    async let first = peripheral.read(level)
    await pass(on: stage) { peripheral.answers == 1 }
    let value = try await first
    try check(value == Data([87]))
    async let second = peripheral.read(refusing)
    await pass(on: stage) { peripheral.answers == 2 }
    do {
      _ = try await second
      throw CheckFailure(description: "it was read")
    } catch let error as CBATTError {
      try check(error.code.rawValue == 0x80)
    }
    withExtendedLifetime(sensor) {}
  }

  /// A task of the program's own starts at any time: lets the time of the devices pass until it has its answer.
  private func pass(on stage: any Stage, until isDone: () -> Bool) async {
    for _ in 0..<100_000 where !isDone() { await stage.pass(0.1) }
  }
}
