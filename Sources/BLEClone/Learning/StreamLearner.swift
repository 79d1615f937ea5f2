import BLEDeviceFiles
import Foundation

/// What a device says of one attribute to a subscriber unasked: from the beginnings of subscriptions, with the times behind them.
struct StreamLearner {
  /// A stretch of the log in which the device may speak.
  struct Run {
    let beginning: RecordedStream.Beginning
    let began: Int64
    var ended: Int64
    /// The central has not ended it yet.
    var isOpen = true
    var said: [Said] = []
  }

  struct Said {
    var time: Int64
    let octets: Data
    let isIndication: Bool
  }

  private(set) var streams: [RecordedStream] = []
  /// The number of streams whose values are sequences of different values.
  private(set) var sequences = 0

  /// - Parameter runs: in the order of the log.
  init(_ handle: UInt16, _ runs: [Run]) {
    for beginning in RecordedStream.Beginning.allCases {
      for isIndication in [false, true] {
        var part = runs.filter { $0.beginning == beginning }
        for index in part.indices {
          let began = part[index].began
          part[index].said.removeAll {
            $0.isIndication != isIndication || $0.time - began > LearningBudget.longestTime
          }
        }
        add(handle, part, beginning, isIndication)
      }
    }
  }

  private mutating func add(
    _ handle: UInt16, _ runs: [Run], _ beginning: RecordedStream.Beginning, _ isIndication: Bool
  ) {
    let samples = runs.flatMap { $0.said.map { PartsLearner.Sample(octets: $0.octets, time: $0.time) } }
    guard !samples.isEmpty else { return }
    let parts = PartsLearner.parts(samples)
    if parts == nil { sequences += 1 }
    streams.append(
      RecordedStream(
        handle: handle, isIndication: isIndication, beginning: beginning,
        runs: runs.map { run in run.said.map { max(0, $0.time - run.began) } },
        value: parts.map { .parts($0) } ?? .sequence(samples.map(\.octets)), pause: Self.pause(runs)))
  }

  /// The time after which a run begins again: where the device spoke regularly until the central ended it.
  private static func pause(_ runs: [Run]) -> Int64? {
    guard let run = runs.last(where: { !$0.said.isEmpty }), let last = run.said.last else { return nil }
    let gaps = run.said.gaps
    guard let pace = gaps.pace, (1_000...LearningBudget.longestTime).contains(pace) else { return nil }
    let silence = run.ended - last.time
    return silence <= pace + pace / 2 ? pace : nil
  }
}

extension [StreamLearner.Said] {
  /// The times between two, in microseconds.
  var gaps: [Int64] { zip(self, dropFirst()).map { $1.time - $0.time } }
}

extension [Int64] {
  /// The middle one of at least three times, if four of five are no more than a quarter from it.
  var pace: Int64? {
    guard count >= 3 else { return nil }
    let middle = sorted()[count / 2]
    let near = self.count { ($0 - middle).magnitude <= middle.magnitude / 4 }
    return near * 5 >= count * 4 ? middle : nil
  }
}
