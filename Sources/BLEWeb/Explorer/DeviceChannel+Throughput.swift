import BLESession
import CoreBluetooth
import Foundation

/// How fast a channel carries octets. They are sent as fast as the device gives credits, and what comes is read as fast as it comes; neither
/// is kept or published octet by octet.
extension DeviceChannel {
  private static let progress = Duration.milliseconds(250)
  /// When nothing has come for so long after the last was sent, the device sends nothing back.
  private static let quiet = Duration.seconds(2)
  /// A device that gives no credits for so long is not waited for.
  private static let patience = Duration.seconds(10)
  /// Pieces in one turn of the queue, on which other work waits.
  private static let mostPieces = 64
  private static let pattern = (0..<4_096).map { UInt8(truncatingIfNeeded: $0) }

  var isMeasuring: Bool { measurement?.state == .running }

  /// Sends so many octets; returns at once.
  /// - Throws: `unavailable` where the channel has ended, another measurement is under way, or octets wait to be sent.
  func measure(_ octets: Int) throws(APIError) {
    try requireRest()
    guard !hasWaiting else { throw APIError(.unavailable, "octets wait until the device takes them") }
    // Reading does not stop meanwhile, or the device could not send back what comes.
    pause(false)
    measurement = ChannelMeasurement(octets, at: clock.now)
    look()
    move()
    publishState()
  }

  /// - Throws: `unavailable` where none is under way.
  func cancelMeasurement() throws(APIError) {
    guard isMeasuring else { throw APIError(.unavailable, "no measurement is under way") }
    endMeasurement(.cancelled, "cancelled by a user")
    publishState()
  }

  func endMeasurement(_ state: ChannelMeasurement.State, _ message: String?) {
    guard isMeasuring else { return }
    measuring?.cancel()
    measuring = nil
    measurement?.state = state
    measurement?.message = message
  }

  /// Publishes the progress again and again, and ends what does not move any more.
  private func look() {
    measuring = clock.schedule(after: Self.progress, on: .main) { [weak self] in
      MainActor.assumeIsolated { self?.lookAgain() }
    }
  }

  private func lookAgain() {
    guard let measurement, isMeasuring else { return }
    let still = clock.now - max(measurement.lastSent, measurement.lastReceived)
    if measurement.isWhole || measurement.sent == measurement.total && still >= Self.quiet {
      endMeasurement(.done, nil)
    } else if still >= Self.patience {
      endMeasurement(.failed, "the device has given no credits for \(Self.patience.components.seconds) s")
    } else {
      look()
    }
    publishState()
    // What has come meanwhile is shown again.
    if !isMeasuring { move() }
  }

  func readMeasured() {
    var octets = 0
    for _ in 0..<Self.mostPieces {
      guard let piece = nextPiece() else { break }
      octets += piece.count
    }
    guard octets > 0 else { return }
    measurement?.received += octets
    measurement?.lastReceived = clock.now
  }

  /// Writes as much as Core Bluetooth has room for.
  /// - Returns: how many octets.
  func writeMeasured() -> Int {
    guard isMeasuring, let output = channel?.outputStream else { return 0 }
    var octets = 0
    while let left = measurement.map({ $0.total - $0.sent }), left > 0, output.hasSpaceAvailable {
      let count = Self.write(Array(Self.pattern.prefix(left)), to: output)
      guard count > 0 else { break }
      octets += count
      measurement?.sent += count
    }
    if octets > 0 { measurement?.lastSent = clock.now }
    return octets
  }
}
