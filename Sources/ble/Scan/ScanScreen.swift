import Foundation

/// The table of a scan on the whole terminal. The devices found stay visible afterwards, as lines.
@MainActor final class ScanScreen: ScanView {
  private let session: Session
  private var table = ScanTable()
  private var screen: Screen?
  private let start = Date()
  /// Whether the user has ended the scan.
  private(set) var isLeft = false

  var devices: Int { table.rows.count }
  private var time: Double { Date().timeIntervalSince(start) }

  /// Returns `nil` without a terminal to draw on.
  init?(in session: Session) {
    self.session = session
    screen = Screen(
      in: session, picture: { [weak self] in self?.picture(columns: $0, rows: $1) ?? [] },
      onKey: { [weak self] in self?.press($0) })
    guard screen != nil else { return nil }
  }

  func add(_ sighting: Sighting) {
    table.add(sighting, at: time)
    screen?.changed()
  }

  private func picture(columns: Int, rows: Int) -> [String] {
    table.picture(columns: columns, rows: rows, at: time, session.output.style)
  }

  private func press(_ key: Character) {
    switch key {
    case "s": table.order = table.order.next
    case "q":
      isLeft = true
      session.waiting.changed()
    default: break
    }
  }

  func finish() {
    screen?.close()
    screen = nil
    for row in table.first(devices) { session.output.collect(row.sighting.line(session.output.style)) }
    session.output.flush()
  }
}
