import BLESession
import Foundation

extension DeviceBoard {
  /// The board for a screen of this size.
  func picture(columns: Int, rows: Int, at time: Double, _ style: Style) -> [String] {
    var lines = [
      style.strong("\(title)  \(situation(at: time))".truncated(toColumns: columns)), signal, "",
    ]
    let chartRows = min(8, max(3, rows / 3))
    lines += chart.lines(columns: columns, rows: chartRows)
    if !values.isEmpty {
      lines.append("")
      lines += values.map { value(for: $0, columns, at: time) }
    }
    lines.append("")
    // The log uses the remaining lines.
    let room = max(1, rows - lines.count - 1)
    lines += log.suffix(room).map { entry in
      "\(Self.clock(entry.time))  \(entry.text)".truncated(toColumns: columns)
    }
    lines += Array(repeating: "", count: max(0, rows - 1 - lines.count))
    return Array(lines.prefix(rows - 1)) + [style.faint("q: end".truncated(toColumns: columns))]
  }

  /// The state, with the remaining time while the session is connecting.
  func situation(at time: Double) -> String {
    let lost = losses == 0 ? "" : losses == 1 ? ", lost once" : ", lost \(losses) times"
    if state == .ready { return "ready\(origin == .automatic ? " again" : "")\(lost)" }
    guard state.isTrying, let deadline else { return SessionReport.word(state) + lost }
    let left = max(0, Int((deadline - time).rounded(.up)))
    return "\(SessionReport.word(state)), attempt \(attempt), \(left) s left\(lost)"
  }

  private var signal: String {
    guard let strength else { return "signal  -" }
    let smoothed = String((strength.smoothed * 10).rounded() / 10)
    return
      "signal  \(strength.rssi) dBm \(Sparkline.bars(strength.rssi))  smoothed \(smoothed) dBm  \(strength.proximity.rawValue)"
  }

  private func value(for value: Value, _ columns: Int, at time: Double) -> String {
    let last = value.times.last.map { ScanTable.age(time - $0) } ?? "-"
    return "\(value.title)  \(value.text)  \(value.count) values\(Self.rate(value.times)), \(last)"
      .truncated(toColumns: columns)
  }

  private static func rate(_ times: [Double]) -> String {
    guard times.count > 1, let first = times.first, let last = times.last, last > first else { return "" }
    return ", \((Double(times.count - 1) / (last - first) * 10).rounded() / 10)/s"
  }

  private static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds)
    let minutes = whole / 60 < 10 ? "0\(whole / 60)" : "\(whole / 60)"
    return "\(minutes):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
  }
}
