/// What an exploration has tried.
public struct Exploration: Sendable {
  /// The number of worlds.
  public private(set) var worlds = 0
  /// The sum of the times of all worlds.
  public private(set) var time = Duration.zero

  init() {}

  mutating func add(_ result: TrialResult) {
    worlds += 1
    time += result.time
  }
}
