import BLECore
import BLESession
import CoreBluetooth
import Foundation
import Testing

@testable import BLEDeviceFiles
@testable import BLEGateway

@Suite("Templates for Home Assistant", .enabled(if: DiscoveryRenderer.isInstalled, DiscoveryRenderer.isMissing))
struct DiscoveryTemplateTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000.25)
  private let topics = GatewayTopics(prefix: "ble", gateway: "hall")

  private func device(_ file: String) throws -> HomeAssistantDevice {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return device(try DeviceDescription(contentsOf: folder.appendingPathComponent("Examples/Devices/\(file)")))
  }

  private func device(_ description: DeviceDescription) -> HomeAssistantDevice {
    var device = HomeAssistantDevice(device: "desk")
    device.description = description
    device.commandTopic = topics.command(for: "desk")
    device.commands = description.commands.map(\.name)
    return device
  }

  private func requests(_ subject: HomeAssistantDevice) throws -> [(HomeAssistantEntity, CommandRequest)] {
    let controls = HomeAssistantDiscovery(topics: topics, version: "1").entities(of: subject)
      .filter { $0.object["command_template"] != nil }
    let texts = try DiscoveryRenderer.render(
      controls.map { ($0.object["command_template"] as? String ?? "", $0.choice) }, now: Self.now)
    return try zip(controls, texts).map { control, text in (control, try CommandRequest(Data(text.utf8))) }
  }

  @Test(
    "I17.1 what Home Assistant makes of each command of the example devices is a command with an id, a deadline and its value",
    arguments: ["lock.json", "itag.json", "smart-band.json"])
  func commands(file: String) throws {
    let subject = try device(file)
    let description = try #require(subject.description)
    let requests = try requests(subject)
    #expect(requests.count >= 3)
    for (control, request) in requests {
      #expect(request.identifier.hasPrefix("home-assistant-18000000") && request.reply == nil)
      #expect(request.deadline == Date(timeIntervalSince1970: 1_800_000_030))
      guard case .perform(let name, let values) = request.action else {
        Issue.record("\(control.payload)")
        continue
      }
      let command = try #require(description.command(named: name))
      // What the device file does not take throws here: the gateway would answer "invalid".
      let typed = values.mapValues { value in
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .octets(let octets): Hexadecimal.encode(octets)
        }
      }
      _ = try description.values(of: name, typed: typed)
      #expect(values.count == (control.component == .button ? 0 : 1), "\(command.name)")
    }
  }

  @Test("I17.1 a later press has another identifier, since the same one would be answered without being done")
  func identifiers() throws {
    let template = try #require(
      HomeAssistantDiscovery(topics: topics, version: "1").entities(of: try device("lock.json"))
        .first { $0.identifier.hasSuffix("_-command_-lock") }?.object["command_template"] as? String)
    let identifiers = try [0, 0.000_01].map { later in
      let text = try DiscoveryRenderer.render([(template, "PRESS")], now: Self.now.addingTimeInterval(later))[0]
      return try CommandRequest(Data(text.utf8)).identifier
    }
    #expect(Set(identifiers).count == 2, "\(identifiers)")
  }

  private static let hostile = [
    "{{ 7 * 7 }}", "' ~ (7 * 7) ~ '", "}} {{ 7 * 7 }} {{", "{% for x in range(9) %}x{% endfor %}", "{# #}", "\\' + \"",
    "a\"b\n",
    "\u{1F512}\u{0}",
  ]

  @Test("I17.1 names with braces and quotes stay names in Home Assistant's templates", arguments: hostile)
  func hostileNames(name: String) throws {
    var description = try #require(try device("lock.json").description)
    let field = DescribedField(name: name, kind: .text(width: 6), standard: nil, unit: nil, summary: nil)
    description.commands[0].name = name
    description.commands[0].kind = .conversation(
      send: MessageLayout(type: 1, parts: [.field(field)]), answer: nil, refusal: nil)
    description.notifications[0].name = name
    description.notifications[0].layout = MessageLayout(parts: [.field(field)])
    let subject = device(description)
    let request = try #require(try requests(subject).first { $0.0.component == .text }?.1)
    #expect(request.action == .perform(name, [name: "111111"]))
    let sensor = try #require(
      HomeAssistantDiscovery(topics: topics, version: "1").entities(of: subject).first { $0.component == .sensor })
    #expect(DiscoveryRules.mistakes(in: sensor) == [])
    let said = try JSONSerialization.data(withJSONObject: ["fields": [name: ["value": "here"]]])
    let shown = try DiscoveryRenderer.render(
      [(sensor.object["value_template"] as? String ?? "", String(decoding: said, as: UTF8.self))], now: Self.now)
    #expect(shown == ["here"])
  }

  @Test("I17.1 a text that is typed in Home Assistant is a value, whatever stands in it", arguments: hostile)
  func hostileValues(text: String) throws {
    let template = try #require(
      HomeAssistantDiscovery(topics: topics, version: "1").entities(of: try device("lock.json"))
        .first { $0.identifier.hasSuffix("_-command_-unlock") }?.object["command_template"] as? String)
    let request = try CommandRequest(Data(try DiscoveryRenderer.render([(template, text)], now: Self.now)[0].utf8))
    #expect(request.action == .perform("unlock", ["pin": .text(text)]))
  }

  @Test("I17.3 a tracked device is in the room that is published, or not at home")
  func rooms() throws {
    let tracker = HomeAssistantDiscovery(topics: topics, version: "1").tracker(of: "keys", called: "Keys")
    #expect(DiscoveryRules.mistakes(in: tracker) == [])
    let messages = GatewayMessages(topics) { Self.now }
    let drafts = ["Under the roof", nil].map { room in
      messages.presence(
        PresenceChange(device: "keys", room: room, before: nil, gateway: nil, strength: nil), isRetained: true)
    }
    #expect(drafts.allSatisfy { $0.topic == tracker.object["state_topic"] as? String })
    let template = try #require(tracker.object["value_template"] as? String)
    let shown = try DiscoveryRenderer.render(drafts.map { (template, $0.payload) }, now: Self.now)
    #expect(shown == ["Under the roof", tracker.object["payload_not_home"] as? String])
  }

  @Test("I17.1 value templates find what the gateway publishes of characteristics, notifications and strengths")
  func values() throws {
    let messages = GatewayMessages(topics) { Self.now }
    let subject = GatewayMessages.Subject(device: "desk", name: "{{ 7 * 7 }}")
    var device = try device("lock.json")
    device.hasSignal = true
    let paths = [CharacteristicPath("2A19", in: "180F"), CharacteristicPath("2A6E", in: "181A")]
    device.characteristics = paths
    let bolt = try #require(device.description?.notifications.first)
    let signal = SignalStrength(rssi: -60, smoothed: -61.25, proximity: .near, time: .zero)
    let reading = FieldReading(name: "bolt", value: 1, word: "open", unit: nil)
    let drafts = [
      messages.value(Data([87]), from: paths[0], of: subject),
      messages.value(Data([0x66, 0x08]), from: paths[1], of: subject),
      messages.notification(DescribedNotification(name: bolt.name, readings: [reading]), of: subject),
      messages.signal(signal, of: subject),
    ]
    let sensors = HomeAssistantDiscovery(topics: topics, version: "1").entities(of: device).filter {
      $0.object["command_topic"] == nil
    }
    let shown = try drafts.map { draft in
      let sensor = try #require(sensors.first { $0.object["state_topic"] as? String == draft.topic }, "\(draft.topic)")
      let template = try #require(sensor.object["value_template"] as? String)
      return try DiscoveryRenderer.render([(template, draft.payload)], now: Self.now)[0]
    }
    #expect(shown == ["87.0", "21.5", "open", "-61.3"] || shown == ["87", "21.5", "open", "-61.3"], "\(shown)")
  }
}
