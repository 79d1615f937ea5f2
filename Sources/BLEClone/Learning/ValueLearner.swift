import BLEDeviceFiles
import Foundation

/// How the value of an attribute came about: from what was read, written and said, in the order of the log.
struct ValueLearner {
  enum Event {
    case read(Data, time: Int64, isWhole: Bool)
    case written(Data)
    case notified(Data)
  }

  /// What is kept of one attribute.
  static let mostEvents = 1 << 16

  private(set) var events: [Event] = []

  mutating func add(_ event: Event) {
    if events.count < Self.mostEvents { events.append(event) }
  }

  /// Adds the next part of the value that was read last.
  mutating func extend(_ part: Data, offset: Int, isWhole: Bool) {
    guard case .read(let octets, let time, _)? = events.last, octets.count == offset else { return }
    events[events.count - 1] = .read(
      Data((octets + part).prefix(RecordedValue.longest)), time: time, isWhole: isWhole)
  }

  struct Learned {
    var value: RecordedValue?
    var follows: Set<RecordedAttribute.Source> = []
    /// A sequence: no rule makes the values.
    var isSequence = false
    /// The value may be longer than what was read of it.
    var isCut = false
  }

  var learned: Learned {
    let reads = events.compactMap { event -> PartsLearner.Sample? in
      if case .read(let octets, let time, _) = event { PartsLearner.Sample(octets: octets, time: time) } else { nil }
    }
    var occurring: Set<RecordedAttribute.Source> = []
    var isCut = false
    for event in events {
      switch event {
      case .read(_, _, let isWhole): if !isWhole { isCut = true }
      case .written: occurring.insert(.written)
      case .notified: occurring.insert(.notified)
      }
    }
    guard !reads.isEmpty else { return Learned() }
    let candidates: [Set<RecordedAttribute.Source>] = [[.written, .notified], [.notified], [.written], []]
    for follows in candidates where follows.isSubset(of: occurring) {
      if let initial = initial(follows) {
        return Learned(value: initial.map(RecordedValue.constant), follows: follows, isCut: isCut)
      }
    }
    if let parts = PartsLearner.parts(reads) { return Learned(value: .parts(parts), isCut: isCut) }
    return Learned(value: .sequence(reads.map(\.octets)), isSequence: true, isCut: isCut)
  }

  /// The value at the beginning, if all reads are explained by what the value takes over; `.some(nil)` if it was never read.
  private func initial(_ follows: Set<RecordedAttribute.Source>) -> Data?? {
    var initial: Data?
    var current: Data?
    var isKnown = false
    for event in events {
      switch event {
      case .written(let octets):
        if follows.contains(.written) { (current, isKnown) = (octets, true) }
      case .notified(let octets):
        if follows.contains(.notified) { (current, isKnown) = (octets, true) }
      case .read(let octets, _, let isWhole):
        if isKnown {
          guard current == octets || !isWhole && current?.starts(with: octets) == true else { return .none }
        } else {
          (initial, current, isKnown) = (octets, octets, true)
        }
      }
    }
    return .some(initial)
  }
}
