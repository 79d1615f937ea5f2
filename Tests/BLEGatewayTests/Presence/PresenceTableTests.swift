import BLEReports
import BLESession
import BLEText
import Foundation
import Testing

@testable import BLEGateway

@Suite("Rooms by what gateways publish")
struct PresenceTableTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private var table: PresenceTable

  init() throws {
    table = PresenceTable(
      try Self.read(
        #""rooms": {"attic": "Under the roof"}, "presence": {"track": {"keys": "Keys"}}, "merge": {"window": 1}"#))
  }

  private static func read(_ members: String) throws -> GatewayConfiguration {
    let text = #"{"format": "ble-gateway/1", "gateway": "house", "broker": {"host": "127.0.0.1"}, \#(members)}"#
    return try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc")
  }

  /// Takes a message, and returns the rooms that are published; `nowhere` for none.
  @discardableResult
  private mutating func take(
    _ topic: String, _ text: String, at seconds: Int, isRetained: Bool = false
  ) -> [String] {
    var message = BrokerMessage(topic: "ble/" + topic, payload: Data(text.utf8))
    message.isRetained = isRetained
    let time = Self.start.addingTimeInterval(Double(seconds))
    return Self.rooms(table.take(message, at: .seconds(seconds), time))
  }

  private static func rooms(_ outcomes: [PresenceTable.Outcome]) -> [String] {
    outcomes.compactMap {
      if case .moved(let change) = $0 { change.device + " " + (change.room ?? "nowhere") } else { nil }
    }
  }

  /// What a gateway publishes of a device.
  private mutating func say(
    _ kind: String, _ device: String, by gateway: String, _ members: String, at seconds: Int, made: Int? = nil,
    isRetained: Bool = false
  ) -> [String] {
    let event = ["advertisement": "discovered"][kind] ?? kind
    let stamp = Self.start.addingTimeInterval(Double(made ?? seconds)).stamp
    let text =
      #"{"key":"\#(gateway)/1/1","event":"\#(event)","time":"\#(stamp)","gateway":"\#(gateway)","device":"\#(device)",\#(members)}"#
    return take("\(gateway)/device/\(device)/\(kind)", text, at: seconds, isRetained: isRetained)
  }

  @Test(
    "I17.3 a kept device is where it is connected, whatever its address is called, until it is neither connected nor heard"
  )
  mutating func kept() {
    #expect(say("advertisement", "C0FFEE010203", by: "hall", #""rssi":-60"#, at: 0) == ["C0FFEE010203 hall"])
    let online = #""address":"C0:FF:EE:01:02:03","status":"online""#
    #expect(
      say("status", "lamp", by: "attic", online, at: 1, isRetained: true)
        == ["C0FFEE010203 nowhere", "lamp Under the roof"])
    #expect(Self.rooms(table.advance(to: .seconds(600))).isEmpty)
    #expect(say("advertisement", "C0FFEE010203", by: "attic", #""rssi":-60"#, at: 601).isEmpty)
    // The end of the gateway is the end of its connection; it is back before the device counts as gone.
    take("attic/status", "offline", at: 610)
    #expect(Self.rooms(table.advance(to: .seconds(660))).isEmpty)
    take("attic/status", "online", at: 661)
    #expect(Self.rooms(table.advance(to: .seconds(1_200))).isEmpty)
    _ = say("status", "lamp", by: "attic", #""status":"offline""#, at: 1_200)
    #expect(Self.rooms(table.advance(to: .seconds(1_259))).isEmpty)
    #expect(Self.rooms(table.advance(to: .seconds(1_260))) == ["lamp nowhere"])
    #expect(table.ignored == 0)
  }

  @Test(
    "I17.3 what was heard long ago does not count as heard now: retained, or after a day in an outbox, with any clock")
  mutating func late() {
    #expect(say("advertisement", "tag", by: "hall", #""rssi":-60"#, at: 0, isRetained: true).isEmpty)
    // The clock of this gateway is a day behind.
    #expect(say("advertisement", "tag", by: "hall", #""rssi":-60"#, at: 0, made: -86_400) == ["tag hall"])
    #expect(say("advertisement", "pen", by: "hall", #""rssi":-60"#, at: 1, made: -90_000).isEmpty)
    #expect(table.late == 2 && table.board.room(of: "pen") == nil)
    // Its clock is set: after a while that is understood.
    var seen: [Int] = []
    for second in 2..<100
    where !say("advertisement", "pen", by: "hall", #""rssi":-60"#, at: second, made: second - 200_000).isEmpty {
      seen.append(second)
    }
    #expect(seen.first.map { (60...62).contains($0) } == true, "\(seen)")
  }

  @Test("I17.3 what an earlier process has published counts until it is heard otherwise, and runs out")
  mutating func remembered() {
    #expect(table.connected(at: .zero).isEmpty)
    let room = { (device: String, room: String) in
      #"{"event":"presence","gateway":"house","device":"\#(device)","room":\#(room)}"#
    }
    for device in ["tag", "pen"] {
      #expect(take("house/presence/\(device)", room(device, #""hall""#), at: 0, isRetained: true).isEmpty)
    }
    // Heard by the weaker gateway first.
    #expect(say("advertisement", "tag", by: "attic", #""rssi":-80"#, at: 1).isEmpty)
    #expect(say("advertisement", "tag", by: "hall", #""rssi":-60"#, at: 2).isEmpty)
    #expect(table.board.room(of: "tag") == "hall")
    #expect(Self.rooms(table.advance(to: .seconds(60))).sorted() == ["keys nowhere", "pen nowhere"])
    #expect(Self.rooms(table.advance(to: .seconds(62))) == ["tag nowhere"])
  }

  @Test("I17.3 lies, nonsense and floods are counted, change nothing, and leave bounded memory")
  mutating func hostile() {
    let lie = #"{"event":"discovered","time":"2027-01-15T08:00:00.000Z","gateway":"hall","device":"tag","rssi":-60}"#
    for (topic, text) in [
      ("cellar/device/tag/advertisement", lie), ("hall/device/pen/advertisement", lie),
      ("hall/device/tag/rssi", lie), ("hall/device/tag/advertisement", "{"),
      ("hall/device/tag/advertisement", String(repeating: "[", count: 9_000)),
      ("hall/device/tag/advertisement", lie.replacing("2027", with: "now")), ("hall/status", "perhaps"),
      ("hall/device/tag/status", lie), ("ha ll/device/tag/rssi", lie), ("hall/presence/tag", lie),
      ("house/presence/tag", #"{"event":"presence","gateway":"hall","device":"tag","room":"hall"}"#),
    ] { #expect(take(topic, text, at: 0, isRetained: true).isEmpty, "\(topic)") }
    #expect(table.ignored == 11 && table.board.count == 0)
    #expect(take("hall/device/tag/value/FFF1", "{", at: 0).isEmpty && table.ignored == 11, "that is not asked for")
    for number in 0..<3_000 {
      _ = say("advertisement", "d\(number)", by: "g\(number)", #""rssi":-60,"name":"\#(number)""#, at: 1)
      _ = say("status", "d\(number)", by: "g\(number)", #""status":"online","address":"C0:FF:EE:01:02:03""#, at: 1)
    }
    #expect(table.gateways.count == PresenceTable.mostGateways && table.board.count <= 3_000)
    #expect(table.merger?.count == PresenceTable.mostWaiting && table.names.count == 1)
  }

  @Test("I17.3 a flood of new devices does not push out one that is tracked")
  mutating func flood() throws {
    table = PresenceTable(try Self.read(#""presence": {"devices": 10, "track": {"keys": "Keys"}}"#))
    #expect(table.connected(at: .zero).isEmpty)
    #expect(say("advertisement", "keys", by: "hall", #""rssi":-60"#, at: 1) == ["keys hall"])
    for number in 0..<100 { _ = say("advertisement", "d\(number)", by: "hall", #""rssi":-60"#, at: 2) }
    #expect(table.board.room(of: "keys") == "hall" && table.board.count <= 11)
    #expect(Self.rooms(table.advance(to: .seconds(61))) == ["keys nowhere"])
  }

  @Test("I17.3 rooms and tracked devices need names, and times that fit each other")
  func configuration() throws {
    let configuration = try Self.read(
      #""presence": {"silence": 5, "absence": 30, "hysteresis": 9, "dwell": 2, "devices": 7}"#)
    let rules = try #require(configuration.presence?.rules)
    #expect(rules.silence == .seconds(5) && rules.absence == .seconds(30) && rules.hysteresis == 9)
    #expect(rules.dwell == .seconds(2) && rules.mostDevices == 7 && configuration.merging == nil)
    #expect(try Self.read(#""merge": {}"#).merging == .seconds(1))
    for wrong in [
      #""presence": {"silence": 60, "absence": 30}"#, #""presence": {"track": {"a/b": "x"}}"#,
      #""presence": {"track": {"a": ""}}"#, #""presence": {"devices": 1, "track": {"a": "A", "b": "B"}}"#,
      #""presence": {"rooms": {}}"#, #""presence": {}, "rooms": {"attic": 1}"#, #""merge": {"window": 61}"#,
    ] { #expect(throws: FileMistakes.self, "\(wrong)") { try Self.read(wrong) } }
  }
}
