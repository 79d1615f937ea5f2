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
  let central: Central
  let surroundings: GatewaySurroundings
  let messages: GatewayMessages
  /// What it does now; `configuration` is what it began with.
  let current: Guarded<GatewayConfiguration>
  let kept = Guarded<[GatewayDevice]>([])
  var devices: [GatewayDevice] { kept.with { $0 } }
  let fleet: GatewayFleet?
  let desk: CommandDesk
  let report: @Sendable (GatewayReport) -> Void
  let line: GatewayLine
  let life: GatewayLife
  let counts = Guarded(GatewayCounts())
  private let scans = Guarded<[Observation]>([])
  /// Reloads and the end follow one another.
  let turns = Turns()
  private let collector: Collector?
  let presence: GatewayPresence?
  let keys: GatewayKeys
  /// Those that are announced to Home Assistant.
  let sensors = HeardSensors()
  /// As they were read last.
  let keyFiles: Guarded<GatewayKeyFiles>

  /// Opens the outbox; does nothing else yet.
  /// - Parameter told: called on any queue. Has to return quickly.
  /// - Throws: `StoreError` for the outbox, `SecretError` for a file of keys, `SessionError` for a device file whose cipher is missing.
  package init(
    _ configuration: GatewayConfiguration, central: Central, _ surroundings: GatewaySurroundings,
    report told: @escaping @Sendable (GatewayReport) -> Void = { _ in }
  ) throws {
    self.configuration = configuration
    current = Guarded(configuration)
    let files = try GatewayKeyFiles(configuration)
    (keyFiles, keys) = (Guarded(files), GatewayKeys(files))
    self.central = central
    life = GatewayLife(central.clock)
    self.surroundings = surroundings
    let counts = counts
    let report: @Sendable (GatewayReport) -> Void = { happened in
      counts.with { $0.add(happened) }
      told(happened)
    }
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
    let fleet = try configuration.fleet.map {
      try GatewayFleet(configuration, $0, in: central, now: surroundings.now(), line, report: report)
    }
    self.fleet = fleet
    collector = try configuration.collection.map { file in
      try Collector(
        configuration.broker, prefix: configuration.prefix, identifier: "ble-collector-" + configuration.name,
        file: file, retention: configuration.retention, now: surroundings.now, backOff: surroundings.backOff
      ) { happened in
        switch happened {
        case .failed(let error): report(.notCollected(reason: error.message))
        case .stored(let count): report(.collected(count))
        case .expired(let expired): report(.expired(expired))
        case .connected, .disconnected: break
        }
      }
    }
    presence = GatewayPresence(configuration, clock: central.clock, messages, now: surroundings.now) { outbox.add($0) }
    desk = CommandDesk([], outbox, messages, now: surroundings.now, report: report)
    let devices = try configuration.devices.map { try makeDevice($0, in: configuration) }
    kept.with { $0 = devices }
    desk.replace(devices)
  }

  func makeDevice(
    _ plan: GatewayConfiguration.Device, in configuration: GatewayConfiguration
  ) throws(SessionError) -> GatewayDevice {
    let stamp = configuration.isInFleet(plan) ? fleet?.stamp(of: plan.name) : nil
    return try GatewayDevice(
      plan, in: central, messages, surroundings, stamp: stamp, add: { [outbox] in outbox.add($0) },
      announce: { [line] in line.announce($0) }, report: { [report] in report(.device(plan.name, $0)) })
  }

  /// Begins: the broker and the devices are reached whenever they are there.
  package func start() async throws {
    try desk.answerAbandoned()
    // What a process that was killed has said of the devices.
    for device in configuration.devices { outbox.add(messages.status(of: device.name, isReady: false)) }
    let announcing = try announcing(configuration)
    sensors.begin(remembering: announcing?.rememberedSensors ?? [])
    line.open(
      configuration, outbox, backOff: surroundings.backOff, description: description, commands: desk.topics,
      announcing: announcing,
      unsendable: { [report] in report(.unsendable(topic: $0)) }
    ) { [desk, fleet, presence, line, report, counts] event in
      counts.with { $0.add(event) }
      switch event {
      case .connected(let version, _):
        report(.connected(version))
        fleet?.connected()
        presence?.connected(line)
      case .disconnected(let reason, let pause):
        report(.disconnected(reason: reason, retryAfter: pause))
        fleet?.disconnected()
        presence?.disconnected()
      case .received(let messages):
        for message in messages {
          presence?.take(message)
          if fleet?.runner.take(message) != true { desk.take(message) }
        }
      case .acknowledged, .oversized: break
      }
    }
    collector?.start()
    for device in devices where !device.isInFleet { await device.start() }
    await fleet?.start(devices, outbox)
    await listen()
  }

  /// Publishes those advertisements that are wanted now.
  func listen() async {
    endScans()
    for policy in current.with({ $0.listening }) {
      let listener = AdvertisementListener(policy, keys)
      let scan = await central.observeDiscoveries(matching: policy.rule, repeats: true) { [weak self] discovery in
        self?.hear(discovery, listener)
      }
      scans.with { $0.append(scan) }
    }
  }

  /// Publishes an advertisement if the listener's rules want it.
  func hear(_ discovery: Discovery, _ listener: AdvertisementListener) {
    counts.with { $0.advertisements += 1 }
    let address = surroundings.address(discovery.identifier)
    guard let heard = listener.take(discovery, address: address) else { return }
    outbox.add(messages.advertisement(heard.sighting, smoothed: heard.smoothed, of: heard.device))
    guard listener.policy.isAnnounced, let sensor = HeardSensor(heard.sighting, as: heard.device, listener.policy)
    else { return }
    let origin = HeardSensor.Origin(
      discovery: discovery, address: address, isSealed: heard.sighting.opened != nil, policy: listener.policy)
    switch sensors.note(sensor, by: origin) {
    case .known: break
    case .new: line.announce(.heard(sensor.device))
    case .tooMany: report(.tooManySensors(most: HeardSensors.most))
    }
  }

  /// Disconnects the devices, says goodbye to the broker, and closes the outbox. What the broker does not have yet stays there.
  package func stop() async {
    await turns.last { await self.end() }
  }

  private func end() async {
    endScans()
    await fleet?.end()
    await withTaskGroup(of: Void.self) { group in
      for device in devices where !device.isInFleet { group.addTask { await device.stop() } }
    }
    await collector?.stop()
    await line.close(offline: Self.status(configuration, isOnline: false))
    await outbox.close()
  }

  func endScans() {
    let ended = scans.with { scans in
      defer { scans = [] }
      return scans
    }
    for scan in ended { scan.cancel() }
  }
}
