/// RSSI values drawn as characters.
enum Sparkline {
  private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  /// The range of the scale in dBm; values outside of it are clamped.
  static let (weakest, strongest) = (-100, -30)

  /// A character for one RSSI; a blank for none.
  static func mark(_ rssi: Int?) -> Character {
    guard let rssi else { return " " }
    return levels[step(rssi, of: levels.count)]
  }

  /// Four bars, as many of which are filled as the RSSI is strong.
  static func bars(_ rssi: Int?) -> String {
    guard let rssi else { return "····" }
    let standing = step(rssi, of: 4) + 1
    return String("▂▄▆█".prefix(standing)) + String(repeating: "·", count: 4 - standing)
  }

  /// The step of a scale with `count` steps.
  private static func step(_ rssi: Int, of count: Int) -> Int {
    let clamped = min(max(rssi, weakest), strongest)
    return min(count - 1, (clamped - weakest) * count / (strongest - weakest))
  }
}

/// The RSSI in each of the last seconds.
struct SignalTrend: Equatable, Sendable {
  /// The strongest RSSI of each second, ending with `second`; 127 if nothing was received.
  private var strengths: [Int8]
  private var second = Int.min

  private static let nothing: Int8 = 127

  /// - Parameter seconds: the length of the trend.
  init(seconds: Int) { strengths = Array(repeating: Self.nothing, count: seconds) }

  mutating func add(_ rssi: Int, at time: Double) {
    advance(to: time)
    let value = Int8(clamping: max(-127, min(20, rssi)))
    let last = strengths.count - 1
    if strengths[last] == Self.nothing || strengths[last] < value { strengths[last] = value }
  }

  private mutating func advance(to time: Double) {
    let now = Int(time)
    if second == Int.min { second = now }
    let steps = min(strengths.count, max(0, now - second))
    if steps > 0 {
      strengths.removeFirst(steps)
      strengths += Array(repeating: Self.nothing, count: steps)
    }
    second = max(second, now)
  }

  /// A character for each second, ending with the current one.
  func text(at time: Double) -> String {
    var present = self
    present.advance(to: time)
    return String(present.strengths.map { Sparkline.mark($0 == Self.nothing ? nil : Int($0)) })
  }
}
