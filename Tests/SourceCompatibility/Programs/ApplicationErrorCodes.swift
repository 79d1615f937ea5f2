import CoreBluetooth

/// Answers with codes of its own (0x80 to 0x9F), and reads them on the other side.
final class ApplicationErrorCodes: Program, NSObjectFree {
  private let busy = CBATTError.Code(rawValue: 0x80)!

  func run(on stage: any Stage) async throws {
    try check(busy.rawValue == 128)
    try check(CBATTError(busy).errorCode == 0x80)
    try check(busy == CBATTError.Code(rawValue: 0x80))
    try check(busy != .success)
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.characteristic(Sensor.refusing) != nil }
    link.peripheral?.readValue(for: try unwrap(link.characteristic(Sensor.refusing)))
    try await stage.wait { link.lastError != nil }
    let error = try unwrap(link.lastError as? CBATTError)
    try check(error.code == busy && error.code.rawValue == 0x80)
    try check((error as NSError).domain == CBATTErrorDomain)
    withExtendedLifetime(sensor) {}
  }
}

/// A marker, as packages use them.
protocol NSObjectFree {}
