import BLEAdapter
import BLECore
import BLERules
import Synchronization

/// Keeps the latest calls and callbacks of the programs of a world. Appended to on the programs' threads and read from any.
///
/// `@unchecked Sendable`: of the recorder only what its mutex guards, or what never changes, is used; the rest is behind a mutex.
final class ProgramRecord: @unchecked Sendable {
  struct Entry: Sendable {
    /// The device's place among those of the world.
    let device: Int
    let event: ProgramEvent
    /// The number of packets of the world before it.
    let packets: Int
    /// The number of marks of the world before it.
    let marks: Int
  }

  /// The maximum number of events; when it is reached, the older half is discarded.
  private static let limit = 200_000

  private let recorder: Recorder
  private let marks: WorldMarks
  private let state = Mutex([Entry]())

  /// - Parameter recorder: keeps the packets of the same world; without packets it keeps no events either.
  init(beside recorder: Recorder, _ marks: WorldMarks) {
    self.recorder = recorder
    self.marks = marks
  }

  /// By time; what happens at one instant by device and manager, of which several may run at the same time; what one manager does in
  /// its order. So it is the same in each run of the same world.
  var entries: [Entry] {
    let entries = state.withLock { $0 }
    return entries.indices.sorted { left, right in
      let (one, other) = (entries[left], entries[right])
      if one.event.time != other.event.time { return one.event.time < other.event.time }
      if one.device != other.device { return one.device < other.device }
      if one.event.manager.number != other.event.manager.number {
        return one.event.manager.number < other.event.manager.number
      }
      return left < right
    }.map { entries[$0] }
  }

  /// Whether the world keeps its packets.
  fileprivate var isOn: Bool { recorder.isOn }

  fileprivate func add(_ event: ProgramEvent, of device: Int) {
    guard isOn else { return }
    let entry = Entry(device: device, event: event, packets: recorder.count, marks: marks.count)
    state.withLock { entries in
      if entries.count >= Self.limit { entries.removeFirst(Self.limit / 2) }
      entries.append(entry)
    }
  }
}

/// Observes the programs on one device, through all its processes.
final class DeviceProgramObserver: ProgramObserver {
  private let record: ProgramRecord
  private let device: Int
  private let name: String
  private let rules: WorldRules
  private let managers = Atomic(0)

  /// - Parameter device: its place among those of the world.
  init(_ record: ProgramRecord, device: Int, named name: String, rules: WorldRules) {
    self.record = record
    self.device = device
    self.name = name
    self.rules = rules
  }

  /// In a world that keeps no packets, as in a benchmark, programs are observed only if they are judged.
  func programMakesManager(_ role: ProgramManager.Role) -> Int? {
    record.isOn || judge != nil ? managers.add(1, ordering: .relaxed).newValue : nil
  }

  func program(did event: ProgramEvent) {
    record.add(event, of: device)
    judge?.see(event)
  }

  /// `nil` in a world without rules.
  var judge: RuleJudge? { rules.judge(device, name) }
}
