import BLEReports
import Testing

@testable import BLEWeb

@Suite("The numbers of events, and what is kept of them")
struct EventHubTests {
  /// The events that wait for a client: numbers and names.
  private static func events(_ stream: EventStream?) throws -> [String] {
    let stream = try #require(stream)
    let connection = try #require(OpaquePointer(bitPattern: 16))
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1_000)
    while stream.size > 0 {
      let count = buffer.withUnsafeMutableBufferPointer { stream.read(into: $0, for: connection) }
      text += buffer.prefix(count)
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n\n").map { event in
      event.split(separator: "\n").prefix(2).map { $0.drop { $0 != ":" }.dropFirst(2) }.joined(separator: " ")
    }
  }

  private static func hub(_ count: Int, _ change: (inout EventHub.Limits) -> Void = { _ in }) -> EventHub {
    var limits = EventHub.Limits()
    change(&limits)
    let hub = EventHub(limits, first: 1)
    for number in 0..<count { hub.publish("e", .integer(number)) }
    return hub
  }

  @Test(
    "I15.1 a client that comes again gets what it has missed; where that is not kept, it is told to read everything")
  func missed() throws {
    let hub = Self.hub(10) { $0.kept = 4 }
    #expect(hub.last == 10)
    #expect(try Self.events(hub.stream(after: 10)) == [])
    #expect(try Self.events(hub.stream(after: 8)) == ["9 e", "10 e"])
    #expect(try Self.events(hub.stream(after: 6)) == ["7 e", "8 e", "9 e", "10 e"])
    for number: UInt64? in [5, 0, 11, 1 << 63, .max, nil] {
      #expect(try Self.events(hub.stream(after: number)) == ["10 reset"])
    }
    #expect(try Self.events(Self.hub(0).stream(after: 0)) == [])
    #expect(try Self.events(Self.hub(0).stream(after: nil)) == ["0 reset"])
    #expect(try Self.events(Self.hub(3).stream(after: 0)) == ["1 e", "2 e", "3 e"])
  }

  @Test("I15.1 a program that was started again does not take the numbers of the former one for its own")
  func restart() throws {
    let former = EventHub()
    for number in 0..<1_000 { former.publish("e", .integer(number)) }
    // Even where it is started in the same second.
    let new = EventHub(first: EventHub.firstNumber + 1_000_000)
    for number in 0..<2_000 { new.publish("e", .integer(number)) }
    #expect(try Self.events(new.stream(after: former.last)) == ["\(new.last) reset"])
    #expect(try Self.events(former.stream(after: new.last)) == ["\(former.last) reset"])
    // JavaScript's numbers have it without loss.
    #expect(new.last < 1 << 53)
  }

  @Test(
    "I15.1 a client that has missed more than it may be sent at once is told to read everything, and not dropped again and again"
  )
  func backlog() throws {
    let hub = Self.hub(100) { $0.waiting = 1_000 }
    let stream = hub.stream(after: 0)
    #expect(try Self.events(stream) == ["100 reset"])
    #expect(stream?.isEnded == false)
    // What fits comes.
    #expect(try Self.events(hub.stream(after: 95)).count == 5)
  }

  @Test("I15.1 an event that is too large for a client is a reset: it does not drop all that listen")
  func largeEvent() throws {
    let hub = Self.hub(1) { $0.waiting = 1_000 }
    let stream = try #require(hub.stream(after: 1))
    hub.publish("large", .string(String(repeating: "a", count: 600)))
    hub.publish("small", .null)
    #expect(!stream.isEnded)
    #expect(try Self.events(stream) == ["2 reset", "3 small"])
    #expect(try Self.events(hub.stream(after: 1)) == ["2 reset", "3 small"])
  }

  @Test("I15.1 the memory of what is kept is bounded in octets, not only in events")
  func keptSize() throws {
    let hub = Self.hub(0) { $0.keptSize = 10_000 }
    for number in 0..<1_000 {
      hub.publish("e", .string(String(repeating: "a", count: number)))
      #expect(hub.keptSize <= 10_000)
    }
    #expect(try Self.events(hub.stream(after: hub.last - 3)).count == 3)
  }

  @Test("I15.1 a client that does not read is dropped; the others get everything")
  func slow() throws {
    let hub = Self.hub(0) { $0.waiting = 4_000 }
    let (slow, quick) = (try #require(hub.stream(after: 0)), try #require(hub.stream(after: 0)))
    var got: [String] = []
    for number in 0..<500 {
      hub.publish("e", .integer(number))
      got += try Self.events(quick)
    }
    #expect(got == (1...500).map { "\($0) e" })
    #expect(slow.isEnded && !quick.isEnded)
    // Nothing of it is kept.
    #expect(slow.size == 0)
  }

  @Test("I15.1 so many may listen, and one that has ended makes room; after the end nobody")
  func listeners() throws {
    let hub = Self.hub(0)
    let streams = try (0..<64).map { _ in try #require(hub.stream(after: nil)) }
    #expect(hub.stream(after: nil) == nil)
    streams[5].end()
    #expect(hub.stream(after: nil) != nil)
    #expect(hub.stream(after: nil) == nil)
    hub.end()
    #expect(streams.allSatisfy(\.isEnded) && hub.stream(after: nil) == nil)
  }

  @Test("I15.1 whatever a device is called, the data of an event is one line")
  func oneLine() {
    let scalars = (0...0xFFFF).map { UInt32($0) } + stride(from: 0x1_0000, through: 0x10_FFFF, by: 0x41)
    let all = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    let text = JSONValue.object([all: .array([.string(all), .number(.infinity), .number(1e300)])]).text
    #expect(!text.utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 })
  }

  @Test("I15.1 taking from the front costs the same however much waits")
  func queue() {
    var queue = Queue<Int>()
    var (next, expected) = (0, 0)
    var chance = Chance(state: 1)
    for _ in 0..<200_000 {
      if Bool.random(using: &chance) || queue.isEmpty {
        queue.append(next)
        next += 1
      } else {
        if queue.first != expected { Issue.record("\(expected) is not first") }
        queue.removeFirst()
        expected += 1
      }
    }
    #expect(queue.count == next - expected && Array(queue.dropFirst(0)) == Array(expected..<next))
  }
}
