import BLECore

/// A scanner or an initiator that listens on the advertising channels.
protocol AdvertisingListener: AnyObject {
  var node: AirNode { get }
  /// The channel on which it listens at a time; `nil` if it does not.
  func channel(at time: StackInstant) -> UInt8?
  /// Called after an advertising event that began at `start`.
  func hear(_ offer: AdvertisingOffer, start: StackInstant)
}

/// The listeners of an air by position, so that an advertiser calls only those that may be in range.
struct ListenerGrid {
  private struct Cell: Hashable {
    var x: Int32
    var y: Int32
  }

  /// The edge of a cell in metres; `nil` if the range is not limited and there is only one cell.
  private var edge: Double?
  private var cells: [Cell: [any AdvertisingListener]] = [:]
  private(set) var count = 0

  init(range: Double?) {
    if let range, range.isFinite, range > 0 { edge = range }
  }

  mutating func insert(_ listener: any AdvertisingListener) {
    cells[cell(of: listener.node.position), default: []].append(listener)
    count += 1
  }

  /// `position` is the listener's position when it was added.
  mutating func remove(_ listener: any AdvertisingListener, at position: Position) {
    let cell = cell(of: position)
    guard var members = cells[cell], let index = members.firstIndex(where: { $0 === listener }) else { return }
    members.remove(at: index)
    cells[cell] = members.isEmpty ? nil : members
    count -= 1
  }

  /// All listeners that may be in range of a sender at `position`, in an order that depends only on the sequence of calls.
  func candidates(near position: Position) -> [any AdvertisingListener] {
    if count == 0 { return [] }
    guard edge != nil else { return cells[Cell(x: 0, y: 0)] ?? [] }
    let center = cell(of: position)
    if cells.count == 1, let (cell, members) = cells.first {
      let isNear = abs(Int64(cell.x) - Int64(center.x)) <= 1 && abs(Int64(cell.y) - Int64(center.y)) <= 1
      return isNear ? members : []
    }
    var found: [any AdvertisingListener] = []
    for x in -1...1 {
      for y in -1...1 {
        let cell = Cell(x: center.x &+ Int32(x), y: center.y &+ Int32(y))
        if let members = cells[cell] { if found.isEmpty { found = members } else { found += members } }
      }
    }
    return found
  }

  private func cell(of position: Position) -> Cell {
    guard let edge else { return Cell(x: 0, y: 0) }
    return Cell(x: Self.index(position.x / edge), y: Self.index(position.y / edge))
  }

  private static func index(_ value: Double) -> Int32 {
    if value.isNaN { return 0 }
    return Int32(max(-1e9, min(1e9, value.rounded(.down))))
  }
}
