import CoreBluetooth

/// Sends a file without responses, as fast as the link accepts it.
final class ChunkedWriter: NSObject, Program, CBPeripheralDelegate {
  private var remaining = Data()
  private var target: CBCharacteristic?

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral = try unwrap(link.peripheral)
    target = link.characteristic(Sensor.input)
    let file = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    remaining = file
    peripheral.delegate = self
    sendMore(peripheral)
    try await stage.wait(60) { sensor.received.count >= file.count }
    try check(sensor.received == file)
  }

  private func sendMore(_ peripheral: CBPeripheral) {
    guard let target = target else { return }
    let size = peripheral.maximumWriteValueLength(for: .withoutResponse)
    while !remaining.isEmpty, peripheral.canSendWriteWithoutResponse {
      peripheral.writeValue(remaining.prefix(size), for: target, type: .withoutResponse)
      remaining = remaining.dropFirst(size)
    }
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { sendMore(peripheral) }
}
