import BLEDeviceFiles
import Foundation

/// What follows the writes of one attribute: rules for the same write and for the same prefix; what no rule explains as a sequence.
struct AnswerLearner {
  /// A write, and what the device said after it.
  struct Instance {
    let write: Data
    let time: Int64
    var said: [Said] = []
  }

  struct Said {
    let handle: UInt16
    let isIndication: Bool
    let time: Int64
    let octets: Data
  }

  private let handle: UInt16
  private(set) var answers: [RecordedAnswer] = []
  /// The number of different writes whose answers are sequences.
  private(set) var sequences = 0

  /// - Parameter instances: in the order of the log.
  init(_ handle: UInt16, _ instances: [Instance]) {
    self.handle = handle
    learn(instances[...])
    // The more exact first.
    answers = answers.enumerated().sorted { left, right in
      let (before, after) = (Self.weight(left.element.match), Self.weight(right.element.match))
      return before != after ? before > after : left.offset < right.offset
    }.map(\.element)
  }

  private static func weight(_ match: RecordedAnswer.Match) -> Int {
    switch match {
    case .same: 1 << 16
    case .prefix(let octets): octets.count
    }
  }

  /// Groups of writes that one rule may explain; each group is split behind the octets that its writes share.
  private mutating func learn(_ all: ArraySlice<Instance>) {
    var groups = [Array(all)]
    while let group = groups.popLast() {
      guard let first = group.first, group.contains(where: { !$0.said.isEmpty }) else { continue }
      let shared = Self.shared(group.map(\.write))
      if group.allSatisfy({ $0.write == first.write }) {
        same(group)
        continue
      }
      if let statements = explain(group) {
        answers.append(RecordedAnswer(handle: handle, match: .prefix(first.write.prefix(shared)), turns: [statements]))
        continue
      }
      var parts: [Int: [Instance]] = [:]
      for instance in group {
        let next = instance.write.count > shared ? Int(instance.write[instance.write.startIndex + shared]) : -1
        parts[next, default: []].append(instance)
      }
      for key in parts.keys.sorted(by: >) { if let part = parts[key] { groups.append(part) } }
    }
  }

  /// The number of octets at the beginning that all have.
  private static func shared(_ writes: [Data]) -> Int {
    guard let first = writes.first else { return 0 }
    return writes.dropFirst().reduce(first.count) { length, write in
      zip(first.prefix(length), write).prefix { $0 == $1 }.count
    }
  }

  private mutating func same(_ group: [Instance]) {
    guard let write = group.first?.write else { return }
    if let statements = explain(group) {
      answers.append(RecordedAnswer(handle: handle, match: .same(write), turns: [statements]))
      return
    }
    sequences += 1
    let turns = group.map { instance in
      instance.said.map { said in
        RecordedStatement(
          handle: said.handle, isIndication: said.isIndication, delay: max(0, said.time - instance.time),
          value: .constant(said.octets))
      }
    }
    answers.append(RecordedAnswer(handle: handle, match: .same(write), turns: turns))
  }

  /// What makes all answers of a group; `nil` if they have different shapes, or octets that no rule makes.
  private func explain(_ group: [Instance]) -> [RecordedStatement]? {
    guard let first = group.first?.said, group.allSatisfy({ $0.said.count == first.count }) else { return nil }
    var statements: [RecordedStatement] = []
    for place in first.indices {
      guard
        group.allSatisfy({
          $0.said[place].handle == first[place].handle && $0.said[place].isIndication == first[place].isIndication
        })
      else { return nil }
      let delays = group.map { max(0, $0.said[place].time - $0.time) }.sorted()
      let delay = max(delays[delays.count / 2], statements.last?.delay ?? 0)
      let samples = group.map {
        PartsLearner.Sample(write: $0.write, octets: $0.said[place].octets, time: $0.time + delay)
      }
      guard let parts = PartsLearner.parts(samples) else { return nil }
      statements.append(
        RecordedStatement(
          handle: first[place].handle, isIndication: first[place].isIndication, delay: delay, value: .parts(parts)))
    }
    return statements
  }
}
