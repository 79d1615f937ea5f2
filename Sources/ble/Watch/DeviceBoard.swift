import BLESession
import Foundation

/// The state of a watched device: updated by events, drawn by `picture`.
struct DeviceBoard: Sendable {
  /// A watched characteristic.
  struct Value: Sendable {
    let title: String
    var text = "(no value yet)"
    var count = 0
    /// The times of the last values, in seconds since the start.
    var times: [Double] = []
  }

  let title: String
  private(set) var state = SessionState.idle
  private(set) var origin: ConnectionOrigin?
  private(set) var strength: SignalStrength?
  private(set) var chart = SignalChart()
  private(set) var values: [Value]
  /// Events with their times.
  private(set) var log: [(time: Double, text: String)] = []
  private(set) var attempt = 0
  /// When the current attempts to connect end.
  private(set) var deadline: Double?
  private(set) var losses = 0

  private static let longestLog = 200

  init(title: String, values: [String]) {
    self.title = title
    self.values = values.map { Value(title: $0) }
  }

  mutating func apply(_ event: SessionEvent, at time: Double) {
    switch event {
    case .state(let new):
      state = new
      if new == .ready { deadline = nil }
    case .ready(let origin): self.origin = origin
    case .disconnected(let reason):
      strength = nil
      chart.add(nil)
      if reason.isLoss { losses += 1 }
    case .attempt(let number, let remaining):
      attempt = number
      let (seconds, fraction) = remaining.components
      deadline = time + Double(seconds) + Double(fraction) / 1e18
    default: break
    }
    if let text = SessionReport(event).sentence { add(text, at: time) }
  }

  private mutating func add(_ text: String, at time: Double) {
    log.append((time, text))
    if log.count > Self.longestLog { log.removeFirst() }
  }

  mutating func apply(_ strength: SignalStrength) {
    self.strength = strength
    chart.add(Int(strength.smoothed.rounded()))
  }

  mutating func apply(_ text: String, of index: Int, at time: Double) {
    guard values.indices.contains(index) else { return }
    values[index].text = text
    values[index].count += 1
    values[index].times.append(time)
    if values[index].times.count > 16 { values[index].times.removeFirst() }
  }
}
