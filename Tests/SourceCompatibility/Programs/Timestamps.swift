import CoreBluetooth

/// Uses the time of Core Foundation, which the disconnection callback has.
final class Timestamps: Program {
  private var last: CFAbsoluteTime = 0

  func run(on stage: any Stage) async throws {
    last = CFAbsoluteTimeGetCurrent()
    let date = Date(timeIntervalSinceReferenceDate: last)
    try check(abs(date.timeIntervalSinceNow) < 60)
    let elapsed: TimeInterval = CFAbsoluteTimeGetCurrent() - last
    try check(elapsed >= 0)
    let asDouble: Double = last
    try check(asDouble > 700_000_000)
  }
}
