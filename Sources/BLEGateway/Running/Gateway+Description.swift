import BLEDeviceFiles
import BLEReports
import BLESession
import BLESessionStore
import Foundation

extension Gateway {
  /// What is announced to Home Assistant; `nil` if nothing is, and nothing was before.
  func announcing(_ configuration: GatewayConfiguration) throws(StoreError) -> HomeAssistantAnnouncer.Plan? {
    let memory = AnnouncedTopics(outbox: outbox)
    let remembered = try memory.all()
    if configuration.homeAssistant == nil, remembered.isEmpty { return nil }
    return HomeAssistantAnnouncer.Plan(
      configuration: configuration, memory: memory, remembered: remembered, sensors: sensors,
      version: surroundings.version, now: surroundings.now, refused: { [report] in report(.notAnnounced(topic: $0)) })
  }

  /// The payload is one word, so that any program understands it.
  static func status(_ configuration: GatewayConfiguration, isOnline: Bool) -> BrokerPublication {
    BrokerPublication(
      topic: configuration.topics.status, payload: Data((isOnline ? "online" : "offline").utf8), isRetained: true)
  }

  /// What the gateway says of itself when it is connected.
  var description: BrokerPublication {
    let configuration = current.with { $0 }
    let devices = configuration.devices.map { device -> JSONValue in
      [
        "device": .string(device.name), "device_file": .string(orNull: device.description?.name),
        "command_topic": .string(orNull: device.commands?.topic),
        "commands": .array((device.commands?.names ?? []).map(JSONValue.string)),
        "write": .array((device.commands?.writes ?? []).map { .string($0.description) }),
        "fleet": .bool(configuration.isInFleet(device)),
      ]
    }
    let document: JSONValue = [
      "format": .string(GatewayConfiguration.formatName), "gateway": .string(configuration.name),
      "version": .string(surroundings.version), "time": .string(surroundings.now().stamp),
      "reply_topics": .string(configuration.topics.replies), "devices": .array(devices),
      "listening": .bool(!configuration.listening.isEmpty),
    ]
    return BrokerPublication(
      topic: configuration.topics.description, payload: Data(document.text.utf8), isRetained: true)
  }
}
