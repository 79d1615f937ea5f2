/// Signal strengths drawn in a line of text.
enum Sparkline {
  private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  /// Weaker and stronger signals look like these, in dBm.
  static let (weakest, strongest) = (-100, -30)

  /// A character for one strength; a blank where there is none.
  static func mark(_ rssi: Int?) -> Character {
    guard let rssi else { return " " }
    return levels[step(rssi, of: levels.count)]
  }

  /// Four bars, of which as many stand as the signal is strong.
  static func bars(_ rssi: Int?) -> String {
    guard let rssi else { return "····" }
    let standing = step(rssi, of: 4) + 1
    return String("▂▄▆█".prefix(standing)) + String(repeating: "·", count: 4 - standing)
  }

  /// A strength as one of so many steps.
  private static func step(_ rssi: Int, of count: Int) -> Int {
    let clamped = min(max(rssi, weakest), strongest)
    return min(count - 1, (clamped - weakest) * count / (strongest - weakest))
  }
}

/// How strong a signal was in each of the last seconds.
struct SignalTrend: Equatable, Sendable {
  /// The strongest of each second, the last one being `second`; 127 where nothing was heard.
  private var strengths: [Int8]
  private var second = Int.min

  private static let nothing: Int8 = 127

  /// - Parameter seconds: how far back it reaches.
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

  /// A character for each second, the present one last.
  func text(at time: Double) -> String {
    var present = self
    present.advance(to: time)
    return String(present.strengths.map { Sparkline.mark($0 == Self.nothing ? nil : Int($0)) })
  }
}
