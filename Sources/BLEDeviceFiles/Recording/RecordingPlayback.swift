import BLESession
import CoreBluetooth

/// Plays the attributes of a recording: values, answers to writes, and streams. A state machine without I/O; what the Attribute Protocol or
/// Core Bluetooth makes of it is its owner's.
///
/// Times are microseconds since the first link began.
package struct RecordingPlayback: Sendable {
  /// Something that the device says.
  package struct Saying: Sendable, Hashable {
    package let handle: UInt16
    package let isIndication: Bool
    package let octets: Data
  }

  private struct Due: Sendable {
    let time: Int64
    let saying: Source
    let write: Data
  }

  /// What becomes due: values are made when they are said, so that what moves with time is right.
  private enum Source: Sendable {
    case statement(answer: Int, turn: Int, statement: Int, number: Int)
    case stream(index: Int, run: Int, position: Int, began: Int64)
  }

  /// What waits to be said is bounded: a central that writes without end gets no answer to some writes.
  package static let mostPending = 4_096

  package let recording: RecordedDevice
  private var values: [UInt16: Data] = [:]
  private var reads: [UInt16: Int] = [:]
  private var answered: [Int: Int] = [:]
  private var begun: [Int: Int] = [:]
  private var said: [Int: Int] = [:]
  private var offsets: [[Int]]
  private var subscriptions: [UInt16: UInt16] = [:]
  private var pending: [Due] = []

  package init(_ recording: RecordedDevice) {
    self.recording = recording
    offsets = recording.streams.map { stream in
      var sum = 0
      return stream.runs.map { run in
        defer { sum += run.count }
        return sum
      }
    }
  }

  // MARK: The link

  /// A link begins.
  package mutating func connected(at now: Int64) {
    pending.removeAll()
    subscriptions.removeAll()
    for index in recording.streams.indices where recording.streams[index].beginning == .connection {
      begin(index, now)
    }
  }

  /// The link has ended.
  package mutating func disconnected() {
    pending.removeAll()
    subscriptions.removeAll()
  }

  /// The central has written the configuration of the characteristic whose value is `handle`: bit 0 notifications, bit 1 indications.
  package mutating func subscribed(_ handle: UInt16, configuration: UInt16, at now: Int64) {
    let before = subscriptions[handle] ?? 0
    subscriptions[handle] = configuration
    if configuration & 3 == 0 {
      pending.removeAll { due in
        if case .stream(let index, _, _, _) = due.saying { recording.streams[index].handle == handle } else { false }
      }
    } else if before & 3 == 0 {
      for index in recording.streams.indices
      where recording.streams[index].handle == handle && recording.streams[index].beginning == .subscription {
        begin(index, now)
      }
    }
  }

  /// What the central has subscribed to at the attribute, by the bits of its configuration.
  package func configuration(_ handle: UInt16) -> UInt16 { subscriptions[handle] ?? 0 }

  // MARK: Values

  /// What a read that begins now returns; `nil` if the recording has no value.
  package mutating func read(_ handle: UInt16, at now: Int64) -> Data? {
    if let value = values[handle] { return value }
    guard let value = recording.attribute(handle)?.value else { return nil }
    let number = reads[handle] ?? 0
    reads[handle] = number &+ 1
    return value.octets(number: number, at: now)
  }

  /// The central has written a value.
  package mutating func wrote(_ handle: UInt16, _ value: Data, at now: Int64) {
    if recording.attribute(handle)?.follows.contains(.written) == true {
      values[handle] = Data(value.prefix(RecordedValue.longest))
    }
    guard let index = recording.answers.firstIndex(where: { $0.handle == handle && $0.matches(value) }) else { return }
    let answer = recording.answers[index]
    guard !answer.turns.isEmpty else { return }
    let number = answered[index] ?? 0
    answered[index] = number &+ 1
    let turn = number % answer.turns.count
    for statement in answer.turns[turn].indices {
      schedule(
        .statement(answer: index, turn: turn, statement: statement, number: number / answer.turns.count),
        at: now &+ answer.turns[turn][statement].delay, write: value)
    }
  }

  // MARK: What is said

  /// When something is to be said next.
  package var nextDue: Int64? { pending.first?.time }

  /// What is to be said first, if its time has come.
  package mutating func next(at now: Int64) -> Saying? {
    guard let due = pending.first, due.time <= now else { return nil }
    pending.removeFirst()
    let saying: Saying
    switch due.saying {
    case .statement(let answer, let turn, let statement, let number):
      let entry = recording.answers[answer].turns[turn][statement]
      saying = Saying(
        handle: entry.handle, isIndication: entry.isIndication,
        octets: entry.value.octets(number: number, answering: due.write, at: due.time, repeats: true))
    case .stream(let index, let run, let position, let began):
      saying = say(index, run, position, began, due.time)
    }
    if recording.attribute(saying.handle)?.follows.contains(.notified) == true { values[saying.handle] = saying.octets }
    return saying
  }

  private mutating func say(_ index: Int, _ run: Int, _ position: Int, _ began: Int64, _ time: Int64) -> Saying {
    let stream = recording.streams[index]
    let times = stream.runs[run]
    if position + 1 < times.count {
      schedule(.stream(index: index, run: run, position: position + 1, began: began), at: began &+ times[position + 1])
    } else if let pause = stream.pause, let first = times.first {
      // The time of the first is the pause behind the last.
      let again = time &+ pause &- first
      schedule(.stream(index: index, run: run, position: 0, began: again), at: again &+ first)
    }
    let number: Int
    if case .sequence = stream.value {
      number = offsets[index][run] + position
    } else {
      number = said[index] ?? 0
      said[index] = number &+ 1
    }
    return Saying(
      handle: stream.handle, isIndication: stream.isIndication, octets: stream.value.octets(number: number, at: time))
  }

  private mutating func begin(_ index: Int, _ now: Int64) {
    let stream = recording.streams[index]
    guard !stream.runs.isEmpty else { return }
    let number = begun[index] ?? 0
    begun[index] = number &+ 1
    let run = number % stream.runs.count
    guard let first = stream.runs[run].first else { return }
    schedule(.stream(index: index, run: run, position: 0, began: now), at: now &+ first)
  }

  private mutating func schedule(_ source: Source, at time: Int64, write: Data = Data()) {
    guard pending.count < Self.mostPending else { return }
    // Ascending by time, in one instant in the order of their causes.
    var (low, high) = (0, pending.count)
    while low < high {
      let middle = (low + high) / 2
      if pending[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    pending.insert(Due(time: time, saying: source, write: write), at: low)
  }
}
