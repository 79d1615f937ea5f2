import CoreBluetooth

/// How near a device seems to be. Walls, bodies and antennas change a signal more than steps do: this is a hint.
public enum Proximity: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
  /// Within reach.
  case immediate
  /// In the same room.
  case near
  /// Somewhere.
  case far

  public static func < (left: Proximity, right: Proximity) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}

/// Smooths signal strengths: each new one counts for a part, the past for the rest.
public struct SignalFilter: Sendable, Hashable {
  /// The part that a new strength counts for, 0 to 1. 1 does not smooth at all.
  public var weight: Double
  /// From this many dBm on a device is immediate.
  public var immediateFrom: Double
  /// From this many dBm on a device is near.
  public var nearFrom: Double
  /// How many dBm a strength has to be past a border before the proximity changes, so that it does not flicker.
  public var hysteresis: Double
  /// The smoothed strength in dBm; `nil` before the first.
  public private(set) var smoothed: Double?
  /// How near the device is.
  public private(set) var proximity: Proximity?

  /// A filter that has seen nothing yet.
  public init(weight: Double = 0.25, immediateFrom: Double = -50, nearFrom: Double = -75, hysteresis: Double = 3) {
    self.weight = min(max(weight, 0), 1)
    self.immediateFrom = immediateFrom
    self.nearFrom = nearFrom
    self.hysteresis = hysteresis
  }

  /// Takes the next strength in dBm; 127 and other impossible ones are passed over.
  public mutating func add(_ rssi: Int) {
    guard (-127...20).contains(rssi) else { return }
    let value = smoothed.map { $0 + weight * (Double(rssi) - $0) } ?? Double(rssi)
    smoothed = value
    guard let before = proximity else { return proximity = place(value) }
    // Away from where it was only once it is clearly past the border.
    let nearer = place(value - hysteresis)
    let farther = place(value + hysteresis)
    if nearer < before { proximity = nearer } else if farther > before { proximity = farther }
  }

  private func place(_ value: Double) -> Proximity {
    value >= immediateFrom ? .immediate : value >= nearFrom ? .near : .far
  }
}

/// One measurement of a device's signal.
public struct SignalStrength: Sendable, Hashable {
  /// In dBm, as it was measured.
  public var rssi: Int
  /// In dBm, smoothed.
  public var smoothed: Double
  /// How near the device is.
  public var proximity: Proximity
  /// When, by the session's clock.
  public var time: Duration

  /// A measurement of one's own, such as one of advertisements.
  public init(rssi: Int, smoothed: Double, proximity: Proximity, time: Duration) {
    self.rssi = rssi
    self.smoothed = smoothed
    self.proximity = proximity
    self.time = time
  }
}

extension DeviceSession {
  /// Measures the device's signal for as long as somebody listens: now and every `interval`, while the session is ready. Over a loss
  /// of the link the measurements pause. Systems answer once a second at most, however often they are asked.
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
  /// Measures the device's signal until it is cancelled, as `signalStrengths` does, and calls `tell` on the session's own queue at the
  /// moment of each measurement. It has to be quick.
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

/// Asks again and again, on its session's queue. Kept alive by its timer and by whoever stops it.
private final class SignalMonitor {
  private weak var device: DeviceCore?
  private let interval: Duration
  private var filter: SignalFilter
  private let tell: (SignalStrength) -> Void
  private var isRunning = true
  /// Asked and not answered yet: systems answer more slowly than they may be asked.
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
