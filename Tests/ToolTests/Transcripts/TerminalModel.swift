/// A terminal as far as a tool uses one: the screen after all that was written to it.
struct TerminalModel: Sendable {
  private(set) var columns: Int
  private(set) var rows: Int
  /// A cell holds a character, nothing behind a wide one, or a blank.
  private var cells: [[String]]
  private(set) var row = 0
  private(set) var column = 0
  /// Lines that have scrolled out at the top.
  private(set) var scrolledOff: [String] = []
  private(set) var isCursorHidden = false
  private(set) var isAlternate = false
  /// Whether a line that is too long is continued in the next one.
  private(set) var isWrapping = true
  private(set) var bells = 0
  /// Escape sequences that this terminal does not know: text from outside must not produce any.
  private(set) var unknown: [String] = []

  private var saved = (row: 0, column: 0)
  private var primary: [[String]]?
  private var pending: [UInt8] = []
  private var state = State.text

  private enum State: Equatable {
    case text, escape
    case sequence(String)
    /// An operating system command, which ends with BEL or ST.
    case command(String)
  }

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The screen without the blanks at the ends of its lines.
  var screen: [String] { cells.map(Self.line) }
  /// The lines that have scrolled out and those on the screen, without empty lines at the end.
  var text: String {
    var lines = scrolledOff + screen
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  private static func line(_ cells: [String]) -> String {
    var text = cells.joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  mutating func resize(columns: Int, rows: Int) {
    while self.rows > rows, row >= rows { scroll() }
    cells = (0..<rows).map { index in
      var line = index < cells.count ? Array(cells[index].prefix(columns)) : []
      line += Array(repeating: " ", count: columns - line.count)
      return line
    }
    (self.columns, self.rows) = (columns, rows)
    row = min(row, rows - 1)
    column = min(column, columns)
  }

  mutating func feed(_ octets: some Sequence<UInt8>) {
    pending += octets
    // A character may be cut between two readings.
    var end = pending.count
    for back in 1...4 where back <= pending.count {
      let octet = pending[pending.count - back]
      let length = octet >= 0xF0 ? 4 : octet >= 0xE0 ? 3 : octet >= 0xC0 ? 2 : 1
      if octet >= 0xC0 {
        if length > back { end = pending.count - back }
        break
      }
      if octet < 0x80 { break }
    }
    let text = String(decoding: pending[..<end], as: UTF8.self)
    pending.removeFirst(end)
    for scalar in text.unicodeScalars { take(scalar) }
  }

  private mutating func take(_ scalar: Unicode.Scalar) {
    switch state {
    case .text: takeText(scalar)
    case .escape:
      switch scalar {
      case "[": state = .sequence("")
      case "]": state = .command("")
      case "7": (saved, state) = ((row, column), .text)
      case "8": (row, column, state) = (saved.row, saved.column, .text)
      default:
        unknown.append("ESC \(scalar)")
        state = .text
      }
    case .sequence(let soFar):
      if (0x40...0x7E).contains(scalar.value) {
        state = .text
        perform(soFar, scalar)
      } else {
        state = .sequence(soFar + String(scalar))
      }
    case .command(let soFar):
      if scalar == "\u{7}" || scalar == "\u{1B}" {
        unknown.append("OSC \(soFar)")
        state = .text
      } else {
        state = .command(soFar + String(scalar))
      }
    }
  }

  private mutating func takeText(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\u{1B}": state = .escape
    case "\r": column = 0
    case "\n": lineFeed()
    case "\u{8}": column = max(0, column - 1)
    case "\t": column = min(columns - 1, (column / 8 + 1) * 8)
    case "\u{7}": bells += 1
    case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): unknown.append("C \(scalar.value)")
    default: put(scalar)
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = Self.width(of: scalar)
    if width == 0 {
      if column > 0 { cells[row][column - 1].unicodeScalars.append(scalar) }
      return
    }
    if column + width > columns {
      guard isWrapping else { return }
      column = 0
      lineFeed()
    }
    cells[row][column] = String(scalar)
    if width == 2, column + 1 < columns { cells[row][column + 1] = "" }
    column += width
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  private mutating func lineFeed() {
    if row + 1 < rows { row += 1 } else { scroll() }
  }

  private mutating func scroll() {
    let first = cells.removeFirst()
    if !isAlternate { scrolledOff.append(Self.line(first)) }
    cells.append(Array(repeating: " ", count: columns))
    row = max(0, min(row, rows - 1))
  }

  private mutating func perform(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
    func number(_ index: Int) -> Int { max(1, (index < numbers.count ? numbers[index] : nil) ?? 1) }
    switch (final, parameters) {
    case ("m", _): break
    case ("A", _): row = max(0, row - number(0))
    case ("B", _): row = min(rows - 1, row + number(0))
    case ("C", _): column = min(columns - 1, column + number(0))
    case ("D", _): column = max(0, column - number(0))
    case ("G", _): column = min(columns, number(0)) - 1
    case ("H", _), ("f", _): (row, column) = (min(rows, number(0)) - 1, min(columns, number(1)) - 1)
    case ("K", "2"): erase(row, 0..<columns)
    case ("K", "1"): erase(row, 0..<min(columns, column + 1))
    case ("K", _): erase(row, min(column, columns)..<columns)
    case ("J", "2"), ("J", "3"): for line in 0..<rows { erase(line, 0..<columns) }
    case ("J", ""), ("J", "0"):
      erase(row, min(column, columns)..<columns)
      for line in (row + 1)..<max(row + 1, rows) { erase(line, 0..<columns) }
    case ("h", "?25"): isCursorHidden = false
    case ("l", "?25"): isCursorHidden = true
    case ("h", "?1049"): enterAlternate()
    case ("l", "?1049"): leaveAlternate()
    case ("h", "?7"): isWrapping = true
    case ("l", "?7"): isWrapping = false
    // Bracketed paste and synchronized updates: nothing visible.
    case ("h", "?2004"), ("l", "?2004"), ("h", "?2026"), ("l", "?2026"): break
    default: unknown.append("CSI \(parameters)\(final)")
    }
  }

  private mutating func erase(_ line: Int, _ range: Range<Int>) {
    for column in range { cells[line][column] = " " }
  }

  private mutating func enterAlternate() {
    guard !isAlternate else { return }
    (isAlternate, primary, saved) = (true, cells, (row, column))
    for line in 0..<rows { erase(line, 0..<columns) }
  }

  private mutating func leaveAlternate() {
    guard isAlternate else { return }
    isAlternate = false
    if let primary { cells = primary }
    primary = nil
    (row, column) = (min(saved.row, rows - 1), min(saved.column, columns))
    resize(columns: columns, rows: rows)
  }
}
