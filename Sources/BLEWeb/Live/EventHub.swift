import BLEReports
import BLESession
import Foundation

/// Numbers what happens and tells all clients. The last events are kept, so that a client whose connection was
/// interrupted misses none, and more of them in a log for people.
final class EventHub: Sendable {
  struct Limits: Sendable {
    /// The most events that are kept.
    var kept = 4_096
    /// Octets of all events that are kept.
    var keptSize = 8 << 20
    /// Octets that may wait for a client.
    var waiting = EventStream.usualLimit
    /// The most clients that listen at the same time.
    var streams = 64
    var log = EventLog.Limits()

    /// What a client that begins or is late may be sent at once. More is a `reset`: it would only be dropped, and come
    /// again for the same.
    var atOnce: Int { waiting / 2 }
  }

  private struct State {
    var next: UInt64
    /// The last events as they are sent, oldest first. Their numbers follow one another, and end before `next`.
    var kept = Queue<[UInt8]>()
    var keptSize = 0
    var streams: [EventStream] = []
    var isOver = false
    var log: EventLog

    var oldest: UInt64 { next - UInt64(kept.count) }
  }

  private let state: Guarded<State>
  private let limits: Limits
  /// How many packets the adapter has kept so far.
  let packetCount: @Sendable () -> UInt64

  /// - Parameter first: the number of the first event.
  init(
    _ limits: Limits = Limits(), first: UInt64 = EventHub.firstNumber,
    packetCount: @escaping @Sendable () -> UInt64 = { 0 }
  ) {
    self.limits = limits
    self.packetCount = packetCount
    state = Guarded(State(next: max(1, first), log: EventLog(limits.log)))
  }

  /// Microseconds since 1970: the last number of a page that was open before the program was restarted is below all new
  /// ones, so the page gets a `reset`. With numbers from 1 it would mistake new events for ones that it has read.
  /// JavaScript has these numbers without loss until the year 2255.
  static var firstNumber: UInt64 { UInt64(max(1, Date().timeIntervalSince1970 * 1_000_000)) }

  /// The number of the last event: what was read before is older.
  var last: UInt64 { state.with { $0.next - 1 } }
  /// Octets of the events that are kept.
  var keptSize: Int { state.with { $0.keptSize } }

  /// What it has in memory: octets are those of the texts.
  struct Kept: Sendable {
    let events: (count: Int, octets: Int)
    let log: (count: Int, octets: Int)
    let streams: (count: Int, octets: Int)
  }

  var kept: Kept {
    state.with { state in
      state.streams.removeAll(where: \.isEnded)
      return Kept(
        events: (state.kept.count, state.keptSize), log: (state.log.entries.count, state.log.size),
        streams: (state.streams.count, state.streams.reduce(0) { $0 + $1.size }))
    }
  }

  /// - Parameter packets: the packets before the call that the event is about.
  func publish(_ name: String, _ data: JSONValue, after packets: UInt64? = nil) {
    let (time, last) = (Int(Date().timeIntervalSince1970 * 1_000), packetCount())
    let text = data.text
    state.with { state in
      let range = state.log.append(state.next, name, data, at: time, packets: last, after: packets)
      let head: JSONValue = ["at_ms": .integer(time), "packets": EventLog.json(range)]
      let whole = Self.event(name, state.next, Self.combined(head.text, text))
      let octets = whole.count > limits.atOnce ? Self.reset(state.next) : whole
      state.next += 1
      state.kept.append(octets)
      state.keptSize += octets.count
      while state.kept.count > limits.kept || state.keptSize > limits.keptSize, let oldest = state.kept.first {
        state.keptSize -= oldest.count
        state.kept.removeFirst()
      }
      for stream in state.streams { stream.send(octets) }
      state.streams.removeAll(where: \.isEnded)
    }
  }

  /// The members of both; the second alone where it is no object. As text, which is made outside of the lock.
  private static func combined(_ first: String, _ second: String) -> String {
    guard second.hasPrefix("{") else { return second }
    return "\(first.dropLast())\(second == "{}" ? "" : ",")\(second.dropFirst())"
  }

  /// The data of an event is a JSON document, which is one line.
  private static func event(_ name: String, _ number: UInt64, _ data: String) -> [UInt8] {
    Array("id: \(number)\nevent: \(name)\ndata: \(data)\n\n".utf8)
  }

  private static func reset(_ number: UInt64) -> [UInt8] { event("reset", number, "{}") }

  /// A stream of the events after that number. Where they are not kept any more, are too many, or are of another
  /// process, it begins with `reset`: the client has to read everything.
  /// - Returns: `nil` where too many listen.
  func stream(after number: UInt64?) -> EventStream? {
    state.with { state in
      state.streams.removeAll(where: \.isEnded)
      guard state.streams.count < limits.streams, !state.isOver else { return nil }
      let stream = EventStream(limit: limits.waiting)
      let missed = number.flatMap { Self.events(after: $0, state) }
      if let missed, missed.reduce(0, { $0 + $1.count }) <= limits.atOnce {
        for octets in missed { stream.send(octets) }
      } else {
        stream.send(Self.reset(state.next - 1))
      }
      state.streams.append(stream)
      return stream
    }
  }

  private static func events(after number: UInt64, _ state: State) -> ArraySlice<[UInt8]>? {
    guard number < state.next, number >= state.oldest - 1 else { return nil }
    return state.kept.dropFirst(Int(number - (state.oldest - 1)))
  }

  /// The last entries of the log after that number, oldest first.
  func log(after number: UInt64, count: Int) -> [EventLog.Entry] { logPart(after: number, count: count).entries }

  /// The same, and whether there were more between that number and the first of them.
  func logPart(after number: UInt64, count: Int) -> (entries: [EventLog.Entry], isPart: Bool) {
    state.with { state in
      let found = state.log.entries(after: number, count: count)
      return (Array(found), state.log.lacks(found, after: number))
    }
  }

  /// To be called every few seconds: clients that have gone are noticed by it.
  func beat() {
    state.with { state in
      for stream in state.streams { stream.sendHeartbeat() }
      state.streams.removeAll(where: \.isEnded)
    }
  }

  /// Ends all streams. Their clients come again, and are judged again.
  func endStreams() {
    state.with { state in
      for stream in state.streams { stream.end() }
      state.streams = []
    }
  }

  func end() {
    state.with { state in
      state.isOver = true
      for stream in state.streams { stream.end() }
      state.streams = []
    }
  }
}
