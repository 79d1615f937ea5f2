/// How much memory the worlds of a process leave behind, from what is allocated after each of them.
///
/// A process grows at first, until its caches and the allocator's are filled. After that what is left behind by each world shows: the
/// smallest size in the second half of the worlds is larger than the smallest in the first.
struct MemoryGrowth: Sendable {
  /// Worlds after which a process is not taken for growing into its caches any more.
  private static let warmUp = 50
  /// With fewer worlds than this after it, nothing is said.
  private static let least = 50

  private var process: Int32 = 0
  private var sizes: [Int] = []
  private var growths: [(octets: Int, worlds: Int)] = []

  /// The end of a world.
  mutating func add(_ report: WorldReport) {
    guard report.allocated > 0 else { return }
    if report.process != process { endOfProcess() }
    process = report.process
    sizes.append(report.allocated)
  }

  private mutating func endOfProcess() {
    defer { sizes = [] }
    let settled = sizes.dropFirst(max(Self.warmUp, sizes.count / 4))
    guard settled.count >= Self.least else { return }
    let half = settled.count / 2
    guard let first = settled.prefix(half).min(), let second = settled.dropFirst(half).min() else { return }
    growths.append((second - first, half))
  }

  /// Octets for each world; `nil` if there were too few.
  static func average(of all: [MemoryGrowth]) -> Int? {
    let growths = all.flatMap { growth in
      var growth = growth
      growth.endOfProcess()
      return growth.growths
    }
    let worlds = growths.reduce(0) { $0 + $1.worlds }
    return worlds == 0 ? nil : max(0, growths.reduce(0) { $0 + $1.octets } / worlds)
  }
}
