import BLEAdapter
import BLECore
import BLEWire

/// The numbers that this host asks its controller for.
enum LinkPolicy {
  /// Scanning: most of the time, with a gap in which links and advertising get their turn.
  static let scanInterval = ScanInterval(nearest: .milliseconds(60))
  static let scanWindow = ScanInterval(nearest: .microseconds(52_500))

  /// Scanning for a program in the background: a tenth of the time, as a system does that has a battery to care for.
  static let backgroundScanInterval = ScanInterval(nearest: .milliseconds(300))
  static let backgroundScanWindow = ScanInterval(nearest: .milliseconds(30))

  /// A new link: quick enough for discovery and interaction. The supervision time-out forgives a machine that is busy for
  /// seconds.
  static let connection = ConnectionParameters(
    intervalMinimum: ConnectionInterval(nearest: .milliseconds(15)),
    intervalMaximum: ConnectionInterval(nearest: .milliseconds(30)),
    supervisionTimeout: SupervisionTimeout(nearest: .seconds(5)))

  /// The longest packet of the link layer, in octets, and its time on the 1M PHY, in microseconds. It takes longer on LE Coded.
  static let dataLength: UInt16 = 251
  static let dataTime: UInt16 = 2120

  /// How long a fresh link may take to agree on features and MTU before it is told to programs as it is.
  static let setUpLimit = StackDuration.seconds(2)
  /// How long a peripheral leaves it to the central to ask for a faster PHY.
  static let peripheralPHYDelay = StackDuration.seconds(1)
  /// The pause before a controller that refused to end a link is asked again.
  static let disconnectDelay = StackDuration.seconds(1)
  /// How long links may take to end when the adapter is switched off.
  static let farewellLimit = StackDuration.milliseconds(500)
  /// How long a link that nobody wants any more stays for channels that are still sending what they had when they were closed.
  static let channelFarewellLimit = StackDuration.seconds(10)
  /// How long a link that is left waits for the peer to answer behind the values that it was sent.
  static let lastAnswerLimit = StackDuration.seconds(2)
  /// The pauses before a device is looked for again to which a link could not be established; the last one stays.
  static let attemptDelays: [StackDuration] = [
    .milliseconds(50), .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2),
  ]
  /// The pauses before each attempt to open a transport again that had failed.
  static let reopenDelays: [StackDuration] = [
    .milliseconds(100), .milliseconds(300), .seconds(1), .seconds(2), .seconds(5),
  ]

  /// What a peripheral asks for when its program names the latency it wants: quick, ordinary, or easy on the battery.
  static func parameters(for latency: ConnectionLatency) -> L2CAPConnectionParameterUpdateRequest {
    switch latency {
    case .low: L2CAPConnectionParameterUpdateRequest(intervalMin: 12, intervalMax: 12, latency: 0, timeout: 500)
    case .medium: L2CAPConnectionParameterUpdateRequest(intervalMin: 24, intervalMax: 40, latency: 0, timeout: 500)
    case .high: L2CAPConnectionParameterUpdateRequest(intervalMin: 160, intervalMax: 200, latency: 4, timeout: 600)
    }
  }
}
