/// How long the text of a clone may become: what a log shows beyond it is left out, and counted.
struct LearningBudget {
  /// Octets of text for each kind of entry; together they stay below the longest file.
  static let each = 600 << 10
  static let attributes = 8_192
  /// Attributes whose notifications are learned.
  static let pushing = 256
  /// A year, in microseconds: the longest time of a file.
  static let longestTime: Int64 = 31_536_000_000_000
  static let advertisements = 64

  private var left = LearningBudget.each
  private(set) var leftOut = 0

  /// The first of `all` that fit.
  mutating func keep<Entry>(_ all: [Entry], _ cost: (Entry) -> Int) -> [Entry] {
    var kept = 0
    for entry in all {
      let price = cost(entry)
      guard price <= left else { break }
      left -= price
      kept += 1
    }
    leftOut += all.count - kept
    return Array(all.prefix(kept))
  }
}
