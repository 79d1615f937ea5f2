extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that is not before a place, by bisection; `endIndex` if all are. Those before it come first.
  func partitionPoint(after isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
