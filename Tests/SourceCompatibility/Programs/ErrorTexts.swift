import CoreBluetooth

/// Shows users the texts of Apple's framework.
final class ErrorTexts: Program {
  private struct Failure: LocalizedError {
    let underlying: Error
    var errorDescription: String? { "Could not connect. " + underlying.localizedDescription }
  }

  func run(on stage: any Stage) async throws {
    let sensor = Sensor(options: stage.options("sensor"))
    let link = SimpleLink(options: stage.options("phone"))
    try await stage.wait { link.characteristic(Sensor.refusing) != nil }
    let refusing = try unwrap(link.characteristic(Sensor.refusing))
    link.peripheral?.writeValue(Data([1]), for: refusing, type: .withResponse)
    try await stage.wait { link.lastError != nil }
    let error = try unwrap(link.lastError)
    try check(error.localizedDescription == "Resources are insufficient.")
    try check((error as NSError).localizedDescription == error.localizedDescription)
    try check((error as NSError).userInfo[NSLocalizedDescriptionKey] as? String == "Resources are insufficient.")
    try check(Failure(underlying: error).localizedDescription == "Could not connect. Resources are insufficient.")
    try check("\((error as NSError).domain) \((error as NSError).code)" == "CBATTErrorDomain 17")
    withExtendedLifetime(sensor) {}
  }
}
