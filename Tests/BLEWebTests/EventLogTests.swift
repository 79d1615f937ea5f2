import BLEReports
import Testing

@testable import BLEWeb

@Suite("The log that all browsers share")
struct EventLogTests {
  private static func log(_ count: Int, _ limits: EventLog.Limits = EventLog.Limits()) -> EventLog {
    var log = EventLog(limits)
    for number in 1...count {
      log.append(UInt64(number), "news", ["text": .string("n\(number)")], at: number, packets: UInt64(2 * number))
    }
    return log
  }

  @Test("I15.1 entries after a number are the newest, oldest first; there are never more than the limits say")
  func entries() {
    let log = Self.log(10)
    #expect(log.entries(after: 7, count: 100).map(\.number) == [8, 9, 10])
    #expect(log.entries(after: 0, count: 4).map(\.number) == [7, 8, 9, 10])
    #expect(log.entries(after: 10, count: 4).isEmpty && log.entries(after: .max, count: 4).isEmpty)
    #expect(log.entries(after: 0, count: 100).map(\.time) == Array(1...10))
    var limits = EventLog.Limits()
    limits.entries = 3
    #expect(Self.log(1_000, limits).entries(after: 0, count: 100).map(\.number) == [998, 999, 1_000])
    limits = EventLog.Limits()
    limits.size = 1_000
    let bounded = Self.log(1_000, limits)
    #expect(bounded.size <= 1_000 && bounded.entries.count > 5)
    #expect(bounded.entries(after: 0, count: 100).last?.number == 1_000)
    // One that is longer than all may be is not kept, and takes the others' place.
    var full = bounded
    full.append(1_001, "news", ["text": .string(String(repeating: "a", count: 2_000))], at: 0, packets: 0)
    #expect(full.entries.isEmpty && full.size == 0)
  }

  @Test("I15.1 an entry has the packets since the one before; that of a call those since the call began")
  func packets() {
    var log = Self.log(3)
    #expect(
      log.entries(after: 0, count: 9).map { [$0.packets.after, $0.packets.through] } == [[0, 2], [2, 4], [4, 6]])
    #expect(log.append(4, "call", [:], at: 0, packets: 9, after: 1) == (1, 9))
    // What the adapter counts may be read later than what is begun.
    #expect(log.append(5, "call", [:], at: 0, packets: 9, after: 12) == (9, 9))
    #expect(log.append(6, "devices", [:], at: 0, packets: 12) == (12, 12))
    #expect(log.append(7, "news", [:], at: 0, packets: 13) == (9, 13))
    #expect(log.entries.count == 6)
  }

  @Test("I15.1 a passkey is no part of an entry, nor is a tree of services")
  func secrets() {
    var log = EventLog()
    log.append(1, "pairing", ["passkey": "123456", "number": .integer(1)], at: 5, packets: 0)
    log.append(2, "session", ["services": .array([]), "state": "ready"], at: 6, packets: 0)
    #expect(
      log.entries(after: 0, count: 9).map(\.text) == [
        #"{"number":1,"time_ms":5,"kind":"pairing","packets":{"after":0,"through":0},"data":{"number":1}}"#,
        #"{"number":2,"time_ms":6,"kind":"session","packets":{"after":0,"through":0},"data":{"state":"ready"}}"#,
      ])
  }

  @Test("I15.1 an event has its time and its packets, which the log says of it, too")
  func events() throws {
    let hub = EventHub(first: 7, packetCount: { 3 })
    hub.publish("news", ["text": "a"])
    hub.publish("news", [:])
    let entries = hub.log(after: 0, count: 9)
    #expect(entries.map(\.number) == [7, 8] && entries[0].packets == (0, 3) && entries[1].packets == (3, 3))
    let stream = try #require(hub.stream(after: 6))
    let connection = try #require(OpaquePointer(bitPattern: 16))
    var buffer = [UInt8](repeating: 0, count: 1_000)
    let count = buffer.withUnsafeMutableBufferPointer { stream.read(into: $0, for: connection) }
    #expect(
      String(decoding: buffer.prefix(count), as: UTF8.self)
        == entries.map { entry in
          let head = #"{"at_ms":\#(entry.time),"packets":{"after":\#(entry.packets.after),"through":3}"#
          return "id: \(entry.number)\nevent: news\ndata: \(head)\(entry.number == 7 ? #","text":"a""# : "")}\n\n"
        }.joined())
  }
}
