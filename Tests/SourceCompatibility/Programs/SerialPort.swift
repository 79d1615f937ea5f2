import CoreBluetooth

/// A terminal over the usual serial service: writes lines, and gets them back as notifications.
final class SerialPort: NSObject, Program, CBPeripheralDelegate {
  private var lines: [String] = []
  private var isOpen = false

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let peripheral = try unwrap(link.peripheral)
    peripheral.delegate = self
    peripheral.setNotifyValue(true, for: try unwrap(link.characteristic(Sensor.output)))
    try await stage.wait { self.isOpen }
    let input = try unwrap(link.characteristic(Sensor.input))
    for line in ["AT", "AT+NAME?", "🎉"] { peripheral.writeValue(Data(line.utf8), for: input, type: .withResponse) }
    try await stage.wait { self.lines.count == 3 }
    try check(lines == ["AT", "AT+NAME?", "🎉"])
    peripheral.setNotifyValue(false, for: try unwrap(link.characteristic(Sensor.output)))
    try await stage.wait { !self.isOpen && sensor.subscribers.isEmpty }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    isOpen = characteristic.isNotifying
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    lines.append(String(decoding: characteristic.value ?? Data(), as: UTF8.self))
  }
}
