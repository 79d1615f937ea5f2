import BLECore

/// A set of attribute handles, stored as ascending ranges that are not adjacent.
struct HandleSet: Equatable {
  private(set) var ranges: [ClosedRange<AttributeHandle>] = []

  mutating func insert(_ handle: AttributeHandle) { insert(handle...handle) }

  mutating func insert(_ range: ClosedRange<AttributeHandle>) {
    // Discovery proceeds upwards: the range nearly always extends the last one or follows it.
    if let last = ranges.last, let behind = last.upperBound.next, behind >= range.lowerBound,
      last.lowerBound <= range.lowerBound
    {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      return
    }
    if ranges.last.map({ $0.upperBound < range.lowerBound }) ?? true {
      ranges.append(range)
      return
    }
    // Ranges that overlap this one or are adjacent to it are merged with it.
    let start =
      range.lowerBound.rawValue == 0 ? 0 : firstIndex(endingAtOrBehind: AttributeHandle(range.lowerBound.rawValue - 1))
    var end = start
    var joined = range
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound.next ?? .last {
      joined = min(joined.lowerBound, ranges[end].lowerBound)...max(joined.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(start..<end, with: CollectionOfOne(joined))
  }

  mutating func remove(_ range: ClosedRange<AttributeHandle>) {
    ranges = ranges.flatMap { other -> [ClosedRange<AttributeHandle>] in
      guard other.overlaps(range) else { return [other] }
      var left: [ClosedRange<AttributeHandle>] = []
      if other.lowerBound < range.lowerBound {
        left.append(other.lowerBound...AttributeHandle(range.lowerBound.rawValue - 1))
      }
      if let behind = range.upperBound.next, other.upperBound >= behind { left.append(behind...other.upperBound) }
      return left
    }
  }

  func contains(_ handle: AttributeHandle) -> Bool { firstGap(in: handle...handle) == nil }

  /// Returns the first consecutive handles of `range` that are not in the set; `nil` if all are.
  func firstGap(in range: ClosedRange<AttributeHandle>) -> ClosedRange<AttributeHandle>? {
    var start = range.lowerBound
    var index = firstIndex(endingAtOrBehind: start)
    while index < ranges.count, ranges[index].lowerBound <= start {
      guard let behind = ranges[index].upperBound.next, behind <= range.upperBound else { return nil }
      start = behind
      index += 1
    }
    guard index < ranges.count, ranges[index].lowerBound <= range.upperBound else { return start...range.upperBound }
    return start...AttributeHandle(ranges[index].lowerBound.rawValue - 1)
  }

  private func firstIndex(endingAtOrBehind handle: AttributeHandle) -> Int {
    ranges.partitionPoint(after: { $0.upperBound < handle })
  }
}
