/// The walls of a plan by the squares that they pass, so that a line is compared only with the walls near it.
struct WallGrid: Sendable {
  private var origin = Position.origin
  private var width = 1.0
  private var height = 1.0
  private var side = 1
  private var cells: [[Int32]] = [[]]

  /// The maximum number of squares along an edge.
  private static let sideLimit = 64

  init(_ walls: [Wall]) {
    guard let first = walls.first else { return }
    var low = first.start
    var high = first.start
    for point in walls.flatMap({ [$0.start, $0.end] }) {
      low = Position(x: min(low.x, point.x), y: min(low.y, point.y))
      high = Position(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    while side < Self.sideLimit, side * side < walls.count { side *= 2 }
    origin = low
    width = max((high.x - low.x) / Double(side), 1e-3)
    height = max((high.y - low.y) / Double(side), 1e-3)
    cells = Array(repeating: [], count: side * side)
    for (index, wall) in walls.enumerated() {
      forEachCell(between: wall.start, wall.end) { cells[$0].append(Int32(index)) }
    }
  }

  /// Calls with each wall that the line may pass through, once, in the order of the walls.
  func forEachCandidate(between first: Position, _ second: Position, _ body: (Int) -> Void) {
    var found: [Int32] = []
    forEachCell(between: first, second) { found += cells[$0] }
    found.sort()
    var last: Int32 = -1
    for index in found where index != last {
      body(Int(index))
      last = index
    }
  }

  /// The squares that a line passes, and at their edges those beside it.
  private func forEachCell(between one: Position, _ other: Position, _ body: (Int) -> Void) {
    let (left, right) = one.x <= other.x ? (one, other) : (other, one)
    let columns = column(left.x - width * 1e-6)...column(right.x + width * 1e-6)
    for column in columns {
      // The part of the line above this column; the outer columns reach as far as the line does.
      let begin = column == columns.lowerBound ? left.x : max(left.x, origin.x + Double(column) * width)
      let end = column == columns.upperBound ? right.x : min(right.x, origin.x + Double(column + 1) * width)
      let (from, to) = (y(at: begin, left, right), y(at: end, left, right))
      // A line that runs straight up has only one column, and all its heights in it.
      let low = left.x == right.x ? min(left.y, right.y) : min(from, to)
      let high = left.x == right.x ? max(left.y, right.y) : max(from, to)
      for row in row(low - height * 1e-3)...row(high + height * 1e-3) { body(column * side + row) }
    }
  }

  private func y(at x: Double, _ left: Position, _ right: Position) -> Double {
    guard right.x > left.x else { return left.y }
    let part = (x - left.x) / (right.x - left.x)
    return left.y + (right.y - left.y) * max(0, min(1, part))
  }

  private func column(_ x: Double) -> Int { Self.index((x - origin.x) / width, side) }
  private func row(_ y: Double) -> Int { Self.index((y - origin.y) / height, side) }

  private static func index(_ value: Double, _ side: Int) -> Int {
    Int(max(0, min(Double(side - 1), value.rounded(.down))))
  }
}
