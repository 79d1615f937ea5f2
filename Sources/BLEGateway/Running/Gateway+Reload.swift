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
  /// are not kept any more is published as `offline`. Reloads that come while one is under way wait for it.
  /// - Throws: `GatewayNeedsRestart`; `SessionError` for a device file whose cipher is missing, and for a gateway that ends; `StoreError` for the
  ///   outbox; `SecretError` for a file of keys. Then all is as it was.
  package func reload(_ new: GatewayConfiguration) async throws -> GatewayChanges {
    if let changes = try await turns.next({ try await self.change(to: new) }) { return changes }
    throw SessionError(.cancelled, "the gateway ends")
  }

  private func change(to new: GatewayConfiguration) async throws -> GatewayChanges {
    let old = current.with { $0 }
    if let member = new.firstFixed(besides: old) { throw GatewayNeedsRestart(member: member) }
    let files = try GatewayKeyFiles(new)
    let before = Dictionary(uniqueKeysWithValues: devices.map { ($0.plan.name, $0) })
    var changes = GatewayChanges()
    var (made, all): ([GatewayDevice], [GatewayDevice]) = ([], [])
    for plan in new.devices {
      if let device = before[plan.name], device.plan == plan, device.isInFleet == new.isInFleet(plan) {
        all.append(device)
        continue
      }
      if before[plan.name] == nil { changes.added.append(plan.name) } else { changes.changed.append(plan.name) }
      let device = try makeDevice(plan, in: new)
      made.append(device)
      all.append(device)
    }
    let announcing = try announcing(new)
    changes.removed = old.devices.map(\.name).filter { name in !all.contains { $0.plan.name == name } }
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
    // Before leases are released: what is taken back would otherwise be what their next holders have announced.
    line.change(description, commands: desk.topics, instead: topics, announcing)
    if changes.listening { await listen() }
    await leave(before.values.filter { old in !all.contains { $0 === old } }, for: made)
    await keep(made, insteadOf: before)
    for device in all { await device.announceIfReady() }
    return changes
  }

  /// Leaves devices, but for those whose lease stays.
  private func leave(_ left: [GatewayDevice], for made: [GatewayDevice]) async {
    let fleet = fleet
    let ended = left.filter { old in
      !old.isInFleet || !made.contains { $0.isInFleet && $0.plan.name == old.plan.name }
    }
    await withTaskGroup(of: Void.self) { group in
      for device in ended {
        group.addTask { if device.isInFleet { await fleet?.remove(device.plan.name) } else { await device.stop() } }
      }
    }
    for device in ended { outbox.add(messages.status(of: device.plan.name, isReady: false)) }
  }

  private func keep(_ made: [GatewayDevice], insteadOf before: [String: GatewayDevice]) async {
    let fleet = fleet
    await withTaskGroup(of: Void.self) { group in
      for device in made {
        let wasInFleet = before[device.plan.name]?.isInFleet ?? false
        group.addTask {
          if !device.isInFleet { return await device.start() }
          if wasInFleet { await fleet?.replace(device) } else { await fleet?.add(device) }
        }
      }
    }
  }
}

extension GatewayConfiguration {
  /// Whether sensors that only advertise are announced to Home Assistant.
  var announcesSensors: Bool { homeAssistant != nil && listening.contains(where: \.isAnnounced) }

  /// The first member that is another than before, and cannot change while the gateway runs.
  func firstFixed(besides old: Self) -> String? {
    let members: [(String, Bool)] = [
      ("gateway", name == old.name), ("prefix", prefix == old.prefix), ("broker", broker == old.broker),
      ("outbox", outbox == old.outbox && limits == old.limits), ("fleet", hasFleet(as: old)),
      ("collect", collection == old.collection && retention == old.retention),
      ("presence", presence == old.presence), ("merge", merging == old.merging), ("rooms", rooms == old.rooms),
      ("home_assistant", homeAssistant == old.homeAssistant), ("metrics", metricsPort == old.metricsPort),
    ]
    return members.first { !$0.1 }?.0
  }

  /// Whether there is a fleet with the same settings, or none as well. Its devices may be others.
  private func hasFleet(as old: Self) -> Bool {
    (fleet == nil) == (old.fleet == nil) && fleet?.hysteresis == old.fleet?.hysteresis
      && fleet?.isolation == old.fleet?.isolation
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
