import CoreBluetooth

/// An estimate of a device's distance from its RSSI. Walls, bodies and antennas influence the RSSI more than small distances do.
public enum Proximity: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
  /// Within arm's reach.
  case immediate
  /// In the same room.
  case near
  /// Farther away.
  case far

  public static func < (left: Proximity, right: Proximity) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

/// Smooths RSSI values by exponential averaging and derives a proximity.
public struct SignalFilter: Sendable, Hashable {
  /// The weight of a new value, 0 to 1. With 1 values are not smoothed.
  public var weight: Double
  /// The smallest RSSI of an immediate device, in dBm.
  public var immediateFrom: Double
  /// The smallest RSSI of a near device, in dBm.
  public var nearFrom: Double
  /// How far the RSSI has to exceed a threshold before the proximity changes, in dB, so that it does not oscillate.
  public var hysteresis: Double
  /// The smoothed RSSI in dBm; `nil` before the first value.
  public private(set) var smoothed: Double?
  /// The estimated distance; `nil` before the first value.
  public private(set) var proximity: Proximity?

  /// Creates a filter without values.
  public init(weight: Double = 0.25, immediateFrom: Double = -50, nearFrom: Double = -75, hysteresis: Double = 3) {
    self.weight = min(max(weight, 0), 1)
    self.immediateFrom = immediateFrom
    self.nearFrom = nearFrom
    self.hysteresis = hysteresis
  }

  /// Adds the next RSSI in dBm; 127 and other impossible values are ignored.
  public mutating func add(_ rssi: Int) {
    guard (-127...20).contains(rssi) else { return }
    let value = smoothed.map { $0 + weight * (Double(rssi) - $0) } ?? Double(rssi)
    smoothed = value
    guard let before = proximity else { return proximity = place(value) }
    // The proximity changes only when the value is past the threshold by more than the hysteresis.
    let nearer = place(value - hysteresis)
    let farther = place(value + hysteresis)
    if nearer < before { proximity = nearer } else if farther > before { proximity = farther }
  }

  private func place(_ value: Double) -> Proximity {
    value >= immediateFrom ? .immediate : value >= nearFrom ? .near : .far
  }
}

/// One measurement of a device's RSSI.
public struct SignalStrength: Sendable, Hashable {
  /// The measured RSSI in dBm.
  public var rssi: Int
  /// The smoothed RSSI in dBm.
  public var smoothed: Double
  /// The estimated distance.
  public var proximity: Proximity
  /// The time, by the session's clock.
  public var time: Duration

  /// Creates a measurement, for example from an advertisement.
  public init(rssi: Int, smoothed: Double, proximity: Proximity, time: Duration) {
    self.rssi = rssi
    self.smoothed = smoothed
    self.proximity = proximity
    self.time = time
  }
}

extension DeviceSession {
  /// Measures the RSSI until the sequence is cancelled: immediately and then every `interval`, while the session is ready. Measuring pauses
  /// while there is no link. Systems answer at most once a second, whatever the interval. A slow consumer loses the oldest of 64.
  public func signalStrengths(
    every interval: Duration = .seconds(1), filter: SignalFilter = SignalFilter()
  ) -> AsyncStream<SignalStrength> {
    AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
      core.perform { core in
        let monitor = SignalMonitor(core, interval: interval, filter: filter) { continuation.yield($0) }
        monitor.start()
        let bound = self.core.derivedOnQueue(monitor)
        continuation.onTermination = { _ in bound.perform { $0.stop() } }
      }
    }
  }
}

extension DeviceSession {
  /// Measures the RSSI until it is cancelled, as `signalStrengths` does, and calls `tell` synchronously on the session's queue for each
  /// measurement. `tell` must return quickly.
  public func observeSignal(
    every interval: Duration = .seconds(1), filter: SignalFilter = SignalFilter(),
    _ tell: @escaping @Sendable (SignalStrength) -> Void
  ) async -> Observation {
    let core = core
    let monitor = Guarded<Confined<SignalMonitor>?>(nil)
    await core.value { device in
      let measuring = SignalMonitor(device, interval: interval, filter: filter, tell: tell)
      measuring.start()
      monitor.with { $0 = core.derivedOnQueue(measuring) }
    }
    return Observation { monitor.with { $0 }?.perform { $0.stop() } }
  }
}

/// Measures periodically on the session's queue. Retained by its timer and by its owner.
private final class SignalMonitor {
  private weak var device: DeviceCore?
  private let interval: Duration
  private var filter: SignalFilter
  private let tell: (SignalStrength) -> Void
  private var isRunning = true
  /// Whether a request is unanswered: systems may answer more slowly than `interval`.
  private var isWaiting = false

  init(_ device: DeviceCore, interval: Duration, filter: SignalFilter, tell: @escaping (SignalStrength) -> Void) {
    self.device = device
    self.interval = max(interval, .milliseconds(10))
    self.filter = filter
    self.tell = tell
  }

  func start() { ask() }
  func stop() { isRunning = false }

  private func ask() {
    guard isRunning, let device else { return }
    if device.state == .ready, !isWaiting {
      isWaiting = true
      let reply = Reply<Int>()
      reply.whenSucceeded = { [weak self] in self?.measured($0) }
      reply.whenFailed = { [weak self] _ in self?.isWaiting = false }
      device.readSignal(reply)
    }
    _ = device.call(after: interval) { [self] _ in ask() }
  }

  private func measured(_ rssi: Int) {
    isWaiting = false
    guard isRunning, let device else { return }
    filter.add(rssi)
    guard let smoothed = filter.smoothed, let proximity = filter.proximity else { return }
    tell(SignalStrength(rssi: rssi, smoothed: smoothed, proximity: proximity, time: device.central.clock.now))
  }
}
