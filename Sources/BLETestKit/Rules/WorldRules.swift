import BLEAdapter
import BLECore
import BLERules
import BLEWire
import Synchronization
import Testing

/// The rules by which the programs of a world are judged, and the judge of each device. From any thread.
final class WorldRules: Sendable {
  private struct State {
    var set: RuleSet?
    /// By the device's place among those of the world.
    var judges: [Int: RuleJudge] = [:]
    /// How much of what each judge has found was reported.
    var reported: [Int: Int] = [:]
    var registry = IdentifierRegistry()
  }

  private let state = Mutex(State())
  /// So that a world without rules pays one comparison for each packet.
  private let isOn = Atomic(false)

  var set: RuleSet? {
    get { state.withLock { $0.set } }
    set {
      state.withLock { state in
        state = State()
        state.set = newValue
      }
      isOn.store(newValue != nil, ordering: .relaxed)
    }
  }

  /// The judge of a device; `nil` if there are no rules.
  func judge(_ device: Int, _ name: String) -> RuleJudge? {
    guard isOn.load(ordering: .relaxed) else { return nil }
    return state.withLock { state in
      guard let set = state.set else { return nil }
      if let judge = state.judges[device] { return judge }
      let judge = RuleJudge(set, device: name, registry: state.registry)
      state.judges[device] = judge
      return judge
    }
  }

  private var judges: [(device: Int, judge: RuleJudge)] {
    state.withLock { $0.judges }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func look(at now: StackInstant) {
    guard isOn.load(ordering: .relaxed) else { return }
    for (_, judge) in judges { judge.look(at: now) }
  }

  /// The delegate methods that have been called have not returned for a while of the machine's time. The world's stands still meanwhile.
  func callbacksAreStuck(at now: StackInstant) {
    guard isOn.load(ordering: .relaxed) else { return }
    for (_, judge) in judges { judge.callbacksAreStuck(at: now) }
  }

  /// By time, then by device.
  var broken: [BrokenRule] { Self.sorted(judges.map(\.judge.broken)) }

  /// Those that were not taken before.
  func takeBroken() -> [BrokenRule] {
    guard isOn.load(ordering: .relaxed) else { return [] }
    let found = judges.map { (device: $0.device, broken: $0.judge.broken) }
    return Self.sorted(
      state.withLock { state in
        found.map { device, broken in
          defer { state.reported[device] = broken.count }
          return Array(broken.dropFirst(state.reported[device] ?? 0))
        }
      })
  }

  /// The order of what one device has found at one instant remains.
  private static func sorted(_ lists: [[BrokenRule]]) -> [BrokenRule] {
    let all = Array(lists.joined())
    return all.indices.sorted { (all[$0].time, $0) < (all[$1].time, $1) }.map { all[$0] }
  }
}

extension RuleSet.Place {
  var sourceLocation: SourceLocation {
    SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
