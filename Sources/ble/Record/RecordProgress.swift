import BLESessionStore
import Foundation

/// The progress of a recording: one line on the standard error, which is overwritten on a terminal and printed at intervals elsewhere.
/// With `--json`, a line on the standard output for each transaction.
@MainActor final class RecordProgress {
  private let output: Output
  private let line = ProgressLine()
  private let start = Date()
  private var store: SessionStore?
  private var timer: (any DispatchSourceTimer)?
  private var last = (time: Date(), committed: 0, values: 0)

  /// Seconds between two lines.
  private static let interval = (terminal: 0.5, pipe: 10.0)

  init(_ output: Output) {
    self.output = output
  }

  func begin(_ store: SessionStore) {
    self.store = store
    let interval = ProgressLine.isTerminal ? Self.interval.terminal : Self.interval.pipe
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.show() } }
    timer.resume()
    self.timer = timer
  }

  /// Reports an event: a line of JSON, or a note for people.
  func event(_ name: String, _ members: JSONValue, note text: String) {
    if output.isJSON { return output.event(name, members, "") }
    line.clear()
    output.remark(name, members, text)
  }

  func note(_ text: String) {
    line.clear()
    output.note(text)
  }

  /// Called when a transaction was committed.
  func committed(_ statistics: StoreStatistics, session: Int64?) {
    guard output.isJSON, let session else { return }
    output.event(
      "committed",
      .object([
        "session": .integer(Int(session)), "entries": .integer(statistics.committed),
        "values": .integer(statistics.committedValues), "dropped": .integer(statistics.dropped),
      ]), "")
  }

  private func show() {
    guard let store, !output.isQuiet, !output.isJSON else { return }
    let statistics = store.statistics
    let now = Date()
    let seconds = max(0.001, now.timeIntervalSince(last.time))
    let text = Self.line(
      statistics, seconds: now.timeIntervalSince(start),
      entryRate: Double(statistics.committed - last.committed) / seconds,
      valueRate: Double(statistics.committedValues - last.values) / seconds)
    last = (now, statistics.committed, statistics.committedValues)
    guard ProgressLine.isTerminal else { return output.note(text) }
    line.show(text)
  }

  nonisolated static func line(_ statistics: StoreStatistics, seconds: Double, entryRate: Double, valueRate: Double)
    -> String
  {
    func rate(_ value: Double) -> String { String(format: "%.1f/s", value) }
    var text = "\(clock(seconds))  \(statistics.committed) entries (\(rate(entryRate)))"
    text += "  \(statistics.committedValues) values (\(rate(valueRate)))"
    if statistics.waiting > 0 { text += "  \(statistics.waiting) waiting" }
    if statistics.dropped > 0 { text += "  \(statistics.dropped) dropped" }
    if statistics.expired > 0 { text += "  \(statistics.expired) expired" }
    return text
  }

  private nonisolated static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds)
    let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
    return (hours > 0 ? "\(hours):" : "") + String(format: "%02d:%02d", minutes, whole % 60)
  }

  /// Prints the summary.
  func finish(_ statistics: StoreStatistics, _ path: String) {
    timer?.cancel()
    timer = nil
    line.clear()
    let dropped = statistics.dropped > 0 ? "; \(statistics.dropped) dropped" : ""
    if output.isJSON {
      output.event(
        "recorded",
        .object([
          "file": .string(path), "entries": .integer(statistics.committed),
          "values": .integer(statistics.committedValues),
          "dropped": .integer(statistics.dropped), "expired": .integer(statistics.expired),
        ]), "")
    } else {
      output.note(
        "Recorded \(statistics.committed) entries, \(statistics.committedValues) of them values, into \(path.inert)\(dropped)."
      )
    }
  }
}
