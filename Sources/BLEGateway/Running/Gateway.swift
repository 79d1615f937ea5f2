import BLECore
import BLEDeviceFiles
import BLEReports
import BLESession
import BLESessionStore
import Foundation

/// Keeps devices, hears advertisements, and says what they say on a broker's topics (`Docs/gateway.md`).
///
/// What is said goes into the outbox first. The broker's link, the devices and the outbox each have a queue of their own and hand values to one
/// another; none waits for another but a command for the disk.
package final class Gateway: Sendable {
  package let configuration: GatewayConfiguration
  package let outbox: Outbox
  private let central: Central
  private let surroundings: GatewaySurroundings
  private let messages: GatewayMessages
  private let devices: [GatewayDevice]
  private let desk: CommandDesk
  private let report: @Sendable (GatewayReport) -> Void
  private let line: GatewayLine
  private let scans = Guarded<[Observation]>([])
  private let collector: Collector?

  /// Opens the outbox; does nothing else yet.
  /// - Parameter report: called on any queue. Has to return quickly.
  /// - Throws: `StoreError` for the outbox, `SessionError` for a device file whose cipher is missing.
  package init(
    _ configuration: GatewayConfiguration, central: Central, _ surroundings: GatewaySurroundings,
    report: @escaping @Sendable (GatewayReport) -> Void = { _ in }
  ) throws {
    self.configuration = configuration
    self.central = central
    self.surroundings = surroundings
    self.report = report
    let messages = GatewayMessages(configuration.topics, now: surroundings.now)
    self.messages = messages
    let line = GatewayLine()
    self.line = line
    let outbox = try Outbox(
      configuration.outbox, gateway: configuration.name, limits: configuration.limits,
      lossDraft: { messages.losses($0) }
    ) { happened in
      switch happened {
      case .accepted: line.sendMore()
      case .dropped(let losses): report(.dropped(losses))
      case .failed(let error): report(.notWritten(reason: error.message))
      case .recovered: report(.writtenAgain)
      }
    }
    self.outbox = outbox
    devices = try configuration.devices.map { plan in
      try GatewayDevice(
        plan, in: central, messages, surroundings, add: { outbox.add($0) }, report: { report(.device(plan.name, $0)) })
    }
    collector = try configuration.collection.map { file in
      try Collector(
        configuration.broker, prefix: configuration.prefix, identifier: "ble-collector-" + configuration.name,
        file: file, backOff: surroundings.backOff
      ) { happened in
        switch happened {
        case .failed(let error): report(.notCollected(reason: error.message))
        case .stored(let count): report(.collected(count))
        case .connected, .disconnected: break
        }
      }
    }
    desk = CommandDesk(devices, outbox, messages, now: surroundings.now, report: report)
  }

  /// Begins: the broker and the devices are reached whenever they are there.
  package func start() async throws {
    try desk.answerAbandoned()
    // What a process that was killed has said of the devices.
    for device in configuration.devices { outbox.add(messages.status(of: device.name, isReady: false)) }
    line.open(
      configuration, outbox, backOff: surroundings.backOff, description: description, commands: desk.topics,
      unsendable: { [report] in report(.unsendable(topic: $0)) }
    ) { [desk, report] event in
      switch event {
      case .connected(let version, _): report(.connected(version))
      case .disconnected(let reason, let pause): report(.disconnected(reason: reason, retryAfter: pause))
      case .received(let messages): for message in messages { desk.take(message) }
      case .acknowledged, .oversized: break
      }
    }
    collector?.start()
    for device in devices { await device.start() }
    for policy in configuration.listening {
      let listener = AdvertisementListener(policy)
      let scan = await central.observeDiscoveries(matching: policy.rule, repeats: true) {
        [outbox, messages, surroundings] discovery in
        let address = surroundings.address(discovery.identifier)
        guard let heard = listener.take(discovery, address: address) else { return }
        let device = address?.description.filter(\.isHexDigit) ?? discovery.identifier.uuidString
        outbox.add(messages.advertisement(heard.sighting, smoothed: heard.smoothed, of: device))
      }
      scans.with { $0.append(scan) }
    }
  }

  /// Disconnects the devices, says goodbye to the broker, and closes the outbox. What the broker does not have yet stays there.
  package func stop() async {
    for scan in scans.with({ scans in
      defer { scans = [] }; return scans
    }) { scan.cancel() }
    await withTaskGroup(of: Void.self) { group in
      for device in devices { group.addTask { await device.stop() } }
    }
    await collector?.stop()
    await line.close(offline: Self.status(configuration, isOnline: false))
    await outbox.close()
  }

  /// The payload is one word, so that any program understands it.
  static func status(_ configuration: GatewayConfiguration, isOnline: Bool) -> BrokerPublication {
    BrokerPublication(
      topic: configuration.topics.status, payload: Data((isOnline ? "online" : "offline").utf8), isRetained: true)
  }

  /// What the gateway says of itself when it is connected.
  private var description: BrokerPublication {
    let devices = configuration.devices.map { device -> JSONValue in
      [
        "device": .string(device.name), "device_file": .string(orNull: device.description?.name),
        "command_topic": .string(orNull: device.commands?.topic),
        "commands": .array((device.commands?.names ?? []).map(JSONValue.string)),
        "write": .array((device.commands?.writes ?? []).map { .string($0.description) }),
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
