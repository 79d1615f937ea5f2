import BLESession

/// What a reload has changed, by the names of devices.
package struct GatewayChanges: Sendable, Equatable {
  package var added: [String] = []
  package var removed: [String] = []
  /// These are kept otherwise than before: they were left, and are reached again.
  package var changed: [String] = []
  /// Whether other advertisements are published.
  package var listening = false

  package var isEmpty: Bool { self == GatewayChanges() }
}

/// Why a configuration is not taken over.
package struct GatewayNeedsRestart: Error, Equatable {
  /// The member of the configuration that does not change while the gateway runs.
  package let member: String
}

extension Gateway {
  /// Keeps and hears what this configuration says from now on. Devices that are kept as before keep their links; the status of those that
  /// are not kept any more is published as `offline`.
  /// - Throws: `GatewayNeedsRestart`; `SessionError` for a device file whose cipher is missing; `StoreError` for the outbox. Then all is as it
  ///   was.
  package func reload(_ new: GatewayConfiguration) async throws -> GatewayChanges {
    let old = current.with { $0 }
    if let member = new.firstFixed(besides: old) { throw GatewayNeedsRestart(member: member) }
    let files = try GatewayKeyFiles(new)
    let before = Dictionary(uniqueKeysWithValues: devices.map { ($0.plan.name, $0) })
    var changes = GatewayChanges()
    var (made, all): ([GatewayDevice], [GatewayDevice]) = ([], [])
    for plan in new.devices {
      if let device = before[plan.name], device.plan == plan {
        all.append(device)
        continue
      }
      if before[plan.name] == nil { changes.added.append(plan.name) } else { changes.changed.append(plan.name) }
      let device = try makeDevice(plan)
      made.append(device)
      all.append(device)
    }
    let announcing = try announcing(new)
    let left = old.devices.map(\.name).filter { name in !all.contains { $0 === before[name] } }
    changes.removed = left.filter { !changes.changed.contains($0) }
    changes.listening = new.listening != old.listening || files != keyFiles.with { $0 }
    let topics = desk.topics
    desk.replace(all)
    if changes.listening {
      endScans()
      // What was heard by the former rules has been noted when the queue of the sessions comes to this.
      _ = await central.state
    }
    current.with { $0 = new }
    keyFiles.with { $0 = files }
    keys.replace(files)
    let listeners = new.listening.map { AdvertisementListener($0, keys) }
    sensors.change(to: listeners, remembering: announcing?.rememberedSensors ?? [])
    kept.with { $0 = all }
    await withTaskGroup(of: Void.self) { group in
      for name in left { if let device = before[name] { group.addTask { await device.stop() } } }
    }
    for name in left { outbox.add(messages.status(of: name, isReady: false)) }
    line.change(description, commands: desk.topics, instead: topics, announcing)
    if changes.listening { await listen() }
    for device in made { await device.start() }
    for device in all { await device.announceIfReady() }
    return changes
  }
}

extension GatewayConfiguration {
  /// Whether sensors that only advertise are announced to Home Assistant.
  var announcesSensors: Bool { homeAssistant != nil && listening.contains(where: \.isAnnounced) }

  /// The first member that is another than before, and cannot change while the gateway runs.
  func firstFixed(besides old: Self) -> String? {
    let fleet = devices.filter { isInFleet($0) } == old.devices.filter { old.isInFleet($0) }
    let members: [(String, Bool)] = [
      ("gateway", name == old.name), ("prefix", prefix == old.prefix), ("broker", broker == old.broker),
      ("outbox", outbox == old.outbox && limits == old.limits), ("fleet", self.fleet == old.fleet && fleet),
      ("collect", collection == old.collection && retention == old.retention),
      ("presence", presence == old.presence), ("merge", merging == old.merging), ("rooms", rooms == old.rooms),
      ("home_assistant", homeAssistant == old.homeAssistant), ("metrics", metricsPort == old.metricsPort),
    ]
    return members.first { !$0.1 }?.0
  }
}

extension GatewayConfiguration.Device: Equatable {
  /// Whether the configuration and the device file say the same.
  package static func == (one: Self, other: Self) -> Bool {
    one.name == other.name && one.rule == other.rule && one.identifier == other.identifier
      && one.deviceFile == other.deviceFile && one.values == other.values && one.readings == other.readings
      && one.readInterval == other.readInterval && one.signalInterval == other.signalInterval
      && one.commands == other.commands
  }
}
