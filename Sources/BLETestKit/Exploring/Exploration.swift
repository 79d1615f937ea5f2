/// What an exploration has tried.
public struct Exploration: Codable, Sendable {
  /// The number of worlds.
  public private(set) var worlds = 0
  /// The sum of the times of all worlds.
  public private(set) var time = Duration.zero
  /// What devices did when events struck.
  public private(set) var coverage = ExplorationCoverage()
  /// Where the worlds ran.
  public internal(set) var isolation = ExplorationIsolation.none
  /// Why the worlds did not run in processes of their own; `nil` if they did, or were not to.
  public internal(set) var isolationRemark: String?
  /// How many octets of memory a world leaves behind on average, once the process has run many; `nil` if it is not known: with fewer
  /// than 100 worlds in one process, or without processes of their own. More than some KiB is a sign that something keeps the world
  /// or its programs: a cycle of references, or a closure of `launch` that refers to the world.
  public internal(set) var memoryLeftBehind: Int?

  init() {}

  mutating func add(_ report: WorldReport) {
    worlds += 1
    time += report.time
    coverage.add(report)
  }
}

extension Exploration: CustomStringConvertible {
  /// The numbers, and the tables of its coverage.
  public var description: String {
    var text = "\(worlds) worlds of \(WorldEvent.words(time)) together passed, "
    text += isolation == .processes ? "in processes of their own" : "in the process of the test"
    if let isolationRemark { text += ": \(isolationRemark)" }
    text += ".\n"
    if let memoryLeftBehind { text += "Each leaves about \(memoryLeftBehind >> 10) KiB of memory behind.\n" }
    return text + "\(coverage)"
  }
}
