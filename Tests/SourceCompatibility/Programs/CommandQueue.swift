import CoreBluetooth

/// One command after another, each with its answer.
final class CommandQueue: NSObject, Program, CBPeripheralDelegate {
  private struct Command {
    let request: Data
    let completion: (Data) -> Void
  }

  private var waiting: [Command] = []
  private var current: Command?
  private var answers: [String] = []
  private weak var peripheral: CBPeripheral?
  private var input: CBCharacteristic!
  private var isReady = false

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    peripheral = link.peripheral
    input = link.characteristic(Sensor.input)
    peripheral?.delegate = self
    peripheral?.setNotifyValue(true, for: try unwrap(link.characteristic(Sensor.output)))
    try await stage.wait { self.isReady }
    for name in ["open", "read", "close"] {
      enqueue(
        Command(request: Data(name.utf8)) { [weak self] in self?.answers.append(String(decoding: $0, as: UTF8.self)) })
    }
    try await stage.wait { self.answers.count == 3 }
    try check(answers == ["open", "read", "close"] && waiting.isEmpty && current == nil)
    withExtendedLifetime(sensor) {}
  }

  private func enqueue(_ command: Command) {
    waiting.append(command)
    startNext()
  }

  private func startNext() {
    guard current == nil, !waiting.isEmpty else { return }
    let command = waiting.removeFirst()
    current = command
    peripheral?.writeValue(command.request, for: input, type: .withoutResponse)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    isReady = error == nil
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
    let command = current
    current = nil
    command?.completion(characteristic.value ?? Data())
    startNext()
  }
}
