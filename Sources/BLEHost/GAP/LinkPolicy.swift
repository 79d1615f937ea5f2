import BLEAdapter
import BLECore
import BLEWire

/// The parameters and time limits that this host uses for its links.
enum LinkPolicy {
  /// Scanning: most of the time, with a gap for links and advertising.
  static let scanInterval = ScanInterval(nearest: .milliseconds(60))
  static let scanWindow = ScanInterval(nearest: .microseconds(52_500))

  /// Scanning for an application in the background: a tenth of the time, to save power.
  static let backgroundScanInterval = ScanInterval(nearest: .milliseconds(300))
  static let backgroundScanWindow = ScanInterval(nearest: .milliseconds(30))

  /// A new link: short intervals, for discovery and interaction. The supervision time-out tolerates a machine that is busy for
  /// seconds.
  static let connection = ConnectionParameters(
    intervalMinimum: ConnectionInterval(nearest: .milliseconds(15)),
    intervalMaximum: ConnectionInterval(nearest: .milliseconds(30)),
    supervisionTimeout: SupervisionTimeout(nearest: .seconds(5)))

  /// The longest link-layer payload in octets, and its duration on the 1M PHY in microseconds. It takes longer on LE Coded.
  static let dataLength: UInt16 = 251
  static let dataTime: UInt16 = 2120

  /// How long the exchange of features and MTU on a new link may take before the link is reported without them.
  static let setUpLimit = StackDuration.seconds(2)
  /// How long a peripheral waits for the central to request a faster PHY.
  static let peripheralPHYDelay = StackDuration.seconds(1)
  /// The pause before the disconnection is requested again from a controller that refused it.
  static let disconnectDelay = StackDuration.seconds(1)
  /// How long links may take to end when the adapter is switched off.
  static let disconnectionLimit = StackDuration.milliseconds(500)
  /// How long a link that is no longer used stays for closed channels that are still sending queued data.
  static let channelDrainLimit = StackDuration.seconds(10)
  /// How long a link that is no longer used waits for a response that shows that the values sent were processed.
  static let lastAnswerLimit = StackDuration.seconds(2)
  /// The pauses before further attempts to connect to a device after a failed one; the last one is repeated.
  static let attemptDelays: [StackDuration] = [
    .milliseconds(50), .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2),
  ]

  /// Returns the parameters that a peripheral requests for a latency set by its application: short, medium, or power-saving.
  static func parameters(for latency: ConnectionLatency) -> L2CAPConnectionParameterUpdateRequest {
    switch latency {
    case .low: L2CAPConnectionParameterUpdateRequest(intervalMin: 12, intervalMax: 12, latency: 0, timeout: 500)
    case .medium: L2CAPConnectionParameterUpdateRequest(intervalMin: 24, intervalMax: 40, latency: 0, timeout: 500)
    case .high: L2CAPConnectionParameterUpdateRequest(intervalMin: 160, intervalMax: 200, latency: 4, timeout: 600)
    }
  }
}
