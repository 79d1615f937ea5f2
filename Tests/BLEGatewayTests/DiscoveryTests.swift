import BLEDeviceFiles
import BLEGateway
import BLEReports
import BLESession
import CoreBluetooth
import Foundation
import Testing

@Suite("Home Assistant's discovery")
struct DiscoveryTests {
  private let discovery = HomeAssistantDiscovery(topics: GatewayTopics(prefix: "ble", gateway: "hall"), version: "1.2")

  private func device(_ file: String, commands: [String]? = nil) throws -> HomeAssistantDevice {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let description = try DeviceDescription(contentsOf: folder.appendingPathComponent("Examples/Devices/\(file)"))
    var device = HomeAssistantDevice(device: "front.door")
    device.description = description
    device.address = "C0:FF:EE:01:02:03"
    device.hasSignal = true
    device.commandTopic = "ble/hall/device/front.door/command"
    device.commands = commands ?? description.commands.map(\.name)
    return device
  }

  private func entity(_ part: String, _ all: [HomeAssistantEntity]) throws -> [String: Any] {
    let found = try #require(all.first { $0.identifier.hasSuffix(part) }, "\(all.map(\.identifier))")
    return try #require(try JSONSerialization.jsonObject(with: Data(found.payload.utf8)) as? [String: Any])
  }

  @Test(
    "I17.1 every entity of the example devices is one that Home Assistant accepts, and has a name of its own",
    arguments: ["lock.json", "itag.json", "smart-band.json"])
  func accepted(file: String) throws {
    var subject = try device(file)
    subject.characteristics = [("2A19", "180F"), ("2A6E", "181A"), ("2A6D", "181A"), ("FFF1", "FFF0")].map {
      CharacteristicPath($0.0, in: $0.1)
    }
    let all = discovery.entities(of: subject) + discovery.gateway()
    #expect(all.count > 4)
    for entity in all { #expect(DiscoveryRules.mistakes(in: entity) == [], "\(entity.topic) \(entity.payload)") }
    #expect(Set(all.map(\.topic)).count == all.count && Set(all.map(\.identifier)).count == all.count)
  }

  @Test("I17.1 a battery's percents, a lock's bolt and a temperature in tenths become what they are")
  func kinds() throws {
    let lock = discovery.entities(of: try device("lock.json"))
    let bolt = try entity("_-bolt-moved_-bolt", lock)
    #expect(bolt["device_class"] as? String == "lock" && bolt["payload_on"] as? String == "open")
    #expect(bolt["value_template"] as? String == "{{ value_json.fields['bolt'].word }}")
    #expect(bolt["state_topic"] as? String == "ble/hall/device/front.door/value/bolt-moved")
    var subject = HomeAssistantDevice(device: "meter")
    subject.characteristics = [CharacteristicPath("2A19", in: "180F"), CharacteristicPath("2A6E", in: "181A")]
    let meter = discovery.entities(of: subject)
    let battery = try entity("2A19", meter)
    #expect(battery["device_class"] as? String == "battery" && battery["unit_of_measurement"] as? String == "%")
    #expect(battery["state_topic"] as? String == "ble/hall/device/meter/value/180F-2A19")
    #expect(try entity("2A6E", meter)["device_class"] as? String == "temperature")
  }

  @Test(
    "I17.1 commands become buttons, numbers, choices and texts; only those that are allowed, and only where one value is chosen"
  )
  func commands() throws {
    let all = discovery.entities(of: try device("lock.json", commands: ["unlock", "lock"]))
    let controls = all.filter { $0.identifier.contains("_-command_-") }
    #expect(controls.map(\.component) == [.text, .button])
    #expect(all.contains { $0.identifier.hasSuffix("_-answer") }, "what has become of the last one")
    let unlock = try entity("_-command_-unlock", all)
    #expect(unlock["mode"] as? String == "password" && unlock["max"] as? Int == 6)
    let template = try #require(unlock["command_template"] as? String)
    #expect(template.contains(#""command":"unlock","values":{"pin":{{ value | to_json }}}"#))
  }

  @Test("I17.1 entities keep their names when another gateway holds the device, and point to its topics")
  func handover() throws {
    let subject = try device("lock.json")
    let attic = HomeAssistantDiscovery(topics: GatewayTopics(prefix: "ble", gateway: "attic"), version: "1.2")
    let (before, after) = (discovery.entities(of: subject), attic.entities(of: subject))
    #expect(before.map(\.topic) == after.map(\.topic) && before.map(\.payload) != after.map(\.payload))
    #expect(after.allSatisfy { !$0.payload.contains("ble/hall/") || $0.payload.contains("front.door/command") })
  }

  @Test("I17.1 different names become different identifiers, and all of them are allowed in a topic")
  func identifiers() {
    let names = ["a.b", "a_b", "a-b", "a:b", "a_-b", "a", "b", "ä", "a_2eb", "A.B", "a b", "a__b", ""]
    let topics = names.map { name in
      var subject = HomeAssistantDevice(device: name)
      subject.hasSignal = true
      return discovery.entities(of: subject).map(\.topic)
    }
    #expect(Set(topics).count == names.count)
    for name in names where !name.isEmpty {
      var subject = HomeAssistantDevice(device: name)
      subject.hasSignal = true
      #expect(discovery.entities(of: subject).flatMap { DiscoveryRules.mistakes(in: $0) } == [], "\(name)")
    }
  }

  @Test("I17.1 the rules refuse what Home Assistant refuses")
  func rules() throws {
    let topic = "homeassistant/sensor/x/config"
    let device: JSONValue = ["identifiers": ["x"]]
    func mistakes(_ members: JSONValue) -> [String] {
      let common: JSONValue = [
        "unique_id": "x", "device": device, "origin": ["name": "x"], "state_topic": "a",
      ]
      return DiscoveryRules.mistakes(
        in: HomeAssistantEntity(
          component: .sensor, identifier: "x", topic: topic, json: JSONValue.combined(common, members)))
    }
    #expect(mistakes([:]) == [])
    let wrong: [JSONValue] = [
      ["device_class": "temperature"], ["device_class": "temperature", "unit_of_measurement": "V"],
      ["device_class": "enum", "options": ["a"], "state_class": "measurement"], ["options": ["a"]], ["object": "x"],
      ["device_class": .null], ["state_topic": "a/#"], ["availability": [["payload_available": "x"]]],
    ]
    for members in wrong { #expect(mistakes(members).isEmpty == false, "\(members.text)") }
  }
}
