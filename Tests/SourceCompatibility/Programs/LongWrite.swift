import CoreBluetooth

/// Writes long text with one call, with response.
final class LongWrite: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.isComplete }
    let text = String(repeating: "你好，世界！", count: 28)
    let data = try unwrap(text.data(using: .utf8))
    try check(data.count == 504 && data.count <= link.peripheral?.maximumWriteValueLength(for: .withResponse) ?? 0)
    link.peripheral?.writeValue(data, for: try unwrap(link.characteristic(Sensor.input)), type: .withResponse)
    try await stage.wait { link.written == 1 }
    try check(String(data: sensor.received, encoding: .utf8) == text)
  }
}
