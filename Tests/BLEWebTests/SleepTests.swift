import BLEReports
import Testing

@testable import BLEWeb

@Suite("A browser that sleeps while much happens")
struct SleepTests {
  /// Reads all that waits, as the server's thread does.
  private static func text(_ stream: EventStream) throws -> String {
    let connection = try #require(OpaquePointer(bitPattern: 16))
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while stream.size > 0 {
      let count = buffer.withUnsafeMutableBufferPointer { stream.read(into: $0, for: connection) }
      text += buffer.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func numbers(_ text: String) -> [UInt64] {
    text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { UInt64($0.dropFirst(4)) }
  }

  /// An hour of a demo: four tables a second, twenty values a second.
  private static func hour(_ hub: EventHub) {
    for second in 0..<3_600 {
      for _ in 0..<4 { hub.publish("devices", ["devices": []]) }
      for number in 0..<20 { hub.publish("value", ["number": .integer(second * 20 + number)]) }
    }
  }

  @Test(
    "I15.1 what it did not read does not stay in memory; when it wakes, one event says that everything is to be read")
  func wakes() throws {
    let hub = EventHub(first: 1)
    let sleeping = try #require(hub.stream(after: hub.last))
    hub.publish("state", [:])
    let last = try #require(Self.numbers(Self.text(sleeping)).last)
    Self.hour(hub)
    // It was dropped, and nothing waits for it.
    #expect(sleeping.isEnded && sleeping.size == 0 && hub.kept.streams.count == 0)
    let awake = try #require(hub.stream(after: last))
    #expect(try Self.text(awake) == "id: \(hub.last)\nevent: reset\ndata: {}\n\n")
    // From there on it misses nothing, and coming again with the number of the reset is no other reset.
    let reset = hub.last
    hub.publish("state", [:])
    #expect(try Self.numbers(Self.text(awake)) == [reset + 1])
    let again = try #require(hub.stream(after: reset))
    #expect(try Self.numbers(Self.text(again)) == [reset + 1])
  }

  @Test("I15.1 a log that lacks entries says so, and one that lacks none says that")
  func logPart() {
    let hub = EventHub(first: 1)
    hub.publish("state", [:])
    let last = hub.last
    // The table is no entry: nothing is lacking.
    for _ in 0..<10_000 { hub.publish("devices", ["devices": []]) }
    #expect(hub.logPart(after: last, count: 5_000).entries.isEmpty && !hub.logPart(after: last, count: 5_000).isPart)
    for number in 0..<5_000 { hub.publish("value", ["number": .integer(number)]) }
    #expect(hub.logPart(after: last, count: 5_000).entries.count == 5_000)
    #expect(!hub.logPart(after: last, count: 5_000).isPart)
    hub.publish("value", [:])
    #expect(hub.logPart(after: last, count: 5_000).isPart && !hub.logPart(after: last, count: 5_001).isPart)
    Self.hour(hub)
    #expect(hub.logPart(after: last, count: .max).isPart)
    #expect(!hub.logPart(after: hub.last, count: 1).isPart)
  }

  @Test("I15.4 once the limits are reached, another hour leaves as much in memory as before")
  func flat() {
    let hub = EventHub(first: 1)
    Self.hour(hub)
    let first = hub.kept
    #expect(first.events.count == 4_096 && first.log.count == 20_000)
    Self.hour(hub)
    let second = hub.kept
    #expect(second.events.count == first.events.count && second.log.count == first.log.count)
    #expect(abs(second.log.octets - first.log.octets) < first.log.octets / 50)
    #expect(abs(second.events.octets - first.events.octets) < first.events.octets / 50)
  }
}
