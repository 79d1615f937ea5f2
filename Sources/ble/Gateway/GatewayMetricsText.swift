import BLEDefaultStack
import BLEGateway
import BLEWeb

extension Gateway {
  /// What `/metrics` answers.
  func metricsText() async -> String {
    let figures = await figures()
    var text = MetricsText()
    text.add("ble_build_info", .gauge, "The version of the program.", [(["version": Tool.version], 1)])
    text.addAdapters(await DefaultStack.counters().map { AdapterMetrics($0.key, $0.value) })
    text.add(figures)
    text.addMemory()
    return text.text
  }
}

extension MetricsText {
  fileprivate mutating func add(_ figures: GatewayFigures) {
    addBroker(figures)
    addDevices(figures)
    let counts = figures.counts
    add(
      "ble_gateway_commands_total", .counter, "Commands by what has become of them; taken for each that was begun.",
      counts.commands.sorted { $0.key < $1.key }.map { (["outcome": $0.key], Double($0.value)) })
    add(
      "ble_advertisements_total", .counter, "Advertisements that an entry of \"listen\" has matched.",
      Double(counts.advertisements))
  }

  private mutating func addBroker(_ figures: GatewayFigures) {
    let counts = figures.counts
    add(
      "ble_gateway_broker_connected", .gauge, "Whether there is a link to the broker.", counts.isConnected ? 1 : 0)
    add(
      "ble_gateway_broker_connections_total", .counter, "How often the broker has accepted the gateway.",
      Double(counts.connections))
    add(
      "ble_gateway_broker_failures_total", .counter, "Links to the broker that have ended, and attempts that failed.",
      Double(counts.failures))
    add(
      "ble_gateway_messages_total", .counter,
      "Messages to the broker: sent, also again; acknowledged; refused by it; too long for it, and dropped.",
      [
        ("sent", figures.sent), ("acknowledged", counts.acknowledged), ("refused", counts.refused),
        ("unsendable", counts.unsendable),
      ]
      .map { (["result": $0.0], Double($0.1)) })
    add("ble_gateway_outbox_messages", .gauge, "Messages that wait for the broker.", Double(figures.waiting.rows))
    add("ble_gateway_outbox_octets", .gauge, "The octets of these.", Double(figures.waiting.octets))
    add(
      "ble_gateway_dropped_total", .counter, "Messages that the outbox has dropped since it was made.",
      [
        ("advertisement", figures.losses.advertisements), ("value", figures.losses.values),
        ("event", figures.losses.events),
      ]
      .map { (["kind": $0.0], Double($0.1)) })
  }

  private mutating func addDevices(_ figures: GatewayFigures) {
    let counts = figures.counts
    add(
      "ble_sessions", .gauge, "Devices that are kept, by the state of the session.",
      figures.devices.sorted { $0.key < $1.key }.map { (["state": $0.key], Double($0.value)) })
    add("ble_connections_total", .counter, "Links that were ready for use.", Double(counts.links))
    add("ble_connections_lost_total", .counter, "Links that were lost.", Double(counts.lostLinks))
    add(
      "ble_connection_attempts_failed_total", .counter, "Attempts to connect that failed.",
      Double(counts.failedAttempts))
    if let held = figures.held {
      add("ble_gateway_leases_held", .gauge, "Devices whose lease this gateway holds.", Double(held))
    }
    guard let presence = figures.presence else { return }
    add("ble_gateway_presence_devices", .gauge, "Devices that are in a room, or expected.", Double(presence.devices))
    add(
      "ble_gateway_presence_ignored_total", .counter,
      "Messages of gateways that did not count for \"presence\" and \"merge\".",
      [("not-understood", presence.ignored), ("late", presence.late)].map { (["reason": $0.0], Double($0.1)) })
  }
}
