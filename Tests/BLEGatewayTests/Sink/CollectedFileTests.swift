import BLEReports
import BLESession
import BLESessionStore
import Foundation
import Testing

@testable import BLEGateway

@Suite("What was collected", .timeLimit(.minutes(10)))
struct CollectedFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("house.sqlite") }
  private let start = Date(timeIntervalSince1970: 1_800_000_000)

  init() throws { folder = try TemporaryFolder() }

  private func entry(
    _ number: Int, _ event: String = "value", gateway: String = "attic", device: String = "owenli",
    time: Date? = nil, _ members: String = #""value":{"hex":"2a","utf8":"*"},"characteristic":"2A19","service":"180F""#
  ) throws -> CollectedFile.Entry {
    let text = """
      {"key":"\(gateway)/box/\(number)","event":"\(event)","time":"\((time ?? start).stamp)","gateway":"\(gateway)",
       "device":"\(device)","identifier":null,"address":"C0:00:00:00:00:01","name":"Owenli",\(members)}
      """
    return try #require(CollectedFile.Entry(BrokerMessage(topic: "ble/x", payload: Data(text.utf8))))
  }

  @Test("I17.5 what was collected is read by kind, gateway, time and device, and the newest first found come in order")
  func read() throws {
    let file = try CollectedFile(path)
    let stored = try file.store(
      [
        try entry(1), try entry(2, "rssi", #""rssi":-60,"smoothed":-61.5"#),
        try entry(3, "discovered", device: "lamp", #""rssi":-70"#), try entry(4, "connected", #""attempt":1"#),
        try entry(1, gateway: "hall", time: start.addingTimeInterval(60)),
        try entry(2, gateway: "hall", time: start.addingTimeInterval(120)), try entry(1),
      ], at: start)
    #expect(stored == 6, "a key counts once")
    let reader = try CollectedReader(path)
    var filter = CollectedFilter()
    #expect(try reader.messages(.value, filter).all().map(\.key) == ["attic/box/1", "hall/box/1", "hall/box/2"])
    #expect(try reader.messages(.strength, filter).all().compactMap { $0.number("rssi") } == [-60, -70])
    #expect(try reader.messages(.event, filter).all().map(\.detail.text) == [#"{"attempt":1}"#])
    #expect(try reader.messages(.value, filter).next()?.octets == Data([0x2A]))
    filter.last = 2
    #expect(try reader.messages(.value, filter).all().map(\.key) == ["hall/box/1", "hall/box/2"])
    filter.gateway = "attic"
    #expect(try reader.messages(.value, filter).all().map(\.key) == ["attic/box/1"])
    (filter.gateway, filter.from) = (nil, start.addingTimeInterval(1))
    filter.until = start.addingTimeInterval(100)
    #expect(try reader.messages(.value, filter).all().map(\.key) == ["hall/box/1"])
    let devices = try reader.devices(CollectedFilter()).all()
    #expect(devices.map(\.device) == ["lamp", "owenli"] && devices.map(\.messages) == [1, 5])
    #expect(devices.last?.gateway == "hall" && devices.last?.address == "C0:00:00:00:00:01")
    let summary = try reader.summary()
    #expect(summary.gateways == 2 && summary.devices == 2 && summary.values == 3 && summary.strengths == 2)
    #expect(summary.events == 1 && summary.last == start.addingTimeInterval(120).stamp)
  }

  @Test("I17.5 messages that arrived before the days that are kept are deleted, whatever the gateway's clock says")
  func age() throws {
    let file = try CollectedFile(path, Retention(age: .seconds(86_400)))
    _ = try file.store([try entry(1, time: start.addingTimeInterval(1e9))], at: start)
    #expect(try file.expire(stored: 1, at: start) == CollectedExpiry())
    let later = start.addingTimeInterval(86_500)
    _ = try file.store([try entry(2, time: start.addingTimeInterval(-1e9))], at: later)
    #expect(try file.expire(stored: 1, at: later) == CollectedExpiry(old: 1))
    #expect(try CollectedReader(path).messages(.value, CollectedFilter()).all().map(\.key) == ["attic/box/2"])
  }

  @Test("I17.5 a file that has its largest size loses its oldest messages, and does not grow further")
  func size() throws {
    let file = try CollectedFile(path, Retention(size: 1 << 20))
    let long = "\"text\":\"" + String(repeating: "x", count: 4_000) + "\""
    var expired = 0
    for part in 0..<20 {
      let entries = try (1...50).map { try entry(50 * part + $0, "value", long) }
      _ = try file.store(entries, at: start)
      expired += try file.expire(stored: 512, at: start).surplus
    }
    let reader = try CollectedReader(path)
    let keys = try reader.messages(.value, CollectedFilter()).all().map(\.key)
    #expect(expired == 1_000 - keys.count && expired > 500 && keys.last == "attic/box/1000")
    #expect(try reader.summary().size <= 1 << 20)
  }

  @Test("I17.5 a file of the first version is brought up to date, and its messages are as old as that")
  func migration() throws {
    do {
      let old = Schema(applicationIdentifier: 0x424C_454D, migrations: [Schema.firstCollected])
      let database = try Database.openForWriting(path, StoreConfiguration(), schema: old)
      try database.run(
        "INSERT INTO message(key, gateway, sequence, event, time, topic, payload) VALUES('a/b/1', 'a', 1, 'value', '', '', '{}')"
      )
    }
    let file = try CollectedFile(path, Retention(age: .seconds(86_400)))
    #expect(try file.expire(stored: 0, at: Date()) == CollectedExpiry())
    #expect(try CollectedReader(path).summary().values == 1)
  }

  @Test("I17.5 a file of another kind, and one that another program has changed, are refused")
  func foreign() throws {
    #expect(throws: StoreError.self) { try CollectedReader(path) }
    _ = try Database.openForWriting(path, StoreConfiguration())
    #expect(throws: StoreError.self) { try CollectedReader(path) }
  }
}
