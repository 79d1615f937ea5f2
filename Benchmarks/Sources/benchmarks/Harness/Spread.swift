/// The numbers of some rounds: the one in the middle, and how far the others lie from it.
struct Spread: Encodable {
  let median: Double
  let least: Double
  let most: Double

  /// - Parameter values: at least one.
  init?(_ values: [Double]) {
    let ordered = values.sorted()
    guard let first = ordered.first, let last = ordered.last else { return nil }
    let middle = ordered.count / 2
    let median = ordered.count.isMultiple(of: 2) ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    (self.median, least, most) = (median.toFourDigits, first.toFourDigits, last.toFourDigits)
  }

  var text: String { "\(median) (\(least) to \(most))" }
}

extension Double {
  /// More digits would say more than was measured.
  var toFourDigits: Double {
    guard isFinite, self != 0 else { return self }
    var scale = 1.0
    while (magnitude * scale) < 1000 { scale *= 10 }
    while (magnitude * scale) >= 10_000 { scale /= 10 }
    return (self * scale).rounded() / scale
  }
}
