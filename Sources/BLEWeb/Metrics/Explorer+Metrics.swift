import BLEReports
import BLESession
import CoreBluetooth

extension Explorer {
  /// What `/metrics` answers.
  func metricsText() async -> String {
    var text = MetricsText()
    text.add("ble_build_info", .gauge, "The version of the program.", [(["version": surroundings.version], 1)])
    text.add("ble_powered_on", .gauge, "Whether Bluetooth can be used.", state == .poweredOn ? 1 : 0)
    text.add("ble_scanning", .gauge, "Whether it scans.", isScanning ? 1 : 0)
    text.addAdapters(await surroundings.adapters())
    addDevices(to: &text)
    await addSessions(to: &text)
    addOperations(metrics.counts, to: &text)
    addKept(to: &text)
    return text.text
  }

  private func addDevices(to text: inout MetricsText) {
    text.add(
      "ble_devices", .gauge, "Devices in the table.",
      [
        (["state": "heard"], Double(heard.values.count { !$0.isStale })),
        (["state": "stale"], Double(heard.values.count(where: \.isStale))),
      ])
    text.add(
      "ble_advertisements_total", .counter, "Advertisements of the devices in the table.", Double(advertisements))
  }

  private func addSessions(to text: inout MetricsText) async {
    var states: [String: Int] = [:]
    var queued = 0
    for device in opened.values {
      let figures = await device.figures
      states[figures.state, default: 0] += 1
      queued += figures.underWay
    }
    text.add(
      "ble_sessions", .gauge, "Devices that are open, by the state of the session.",
      states.sorted { $0.key < $1.key }.map { (["state": $0.key], Double($0.value)) })
    text.add("ble_operations_under_way", .gauge, "Operations that wait for a device.", Double(queued))
  }

  /// All of it has limits: what is kept grows up to them, and no further.
  private nonisolated func addKept(to text: inout MetricsText) {
    let kept = hub.kept
    let parts = [("events", kept.events), ("log", kept.log), ("streams", kept.streams)]
    text.add(
      "ble_web_kept", .gauge, "Events that are kept for browsers that come again, entries of the log, open streams.",
      parts.map { (["of": $0.0], Double($0.1.count)) })
    text.add(
      "ble_web_kept_octets", .gauge, "The octets of what is kept; of streams those that were not read yet.",
      parts.map { (["of": $0.0], Double($0.1.octets)) })
    text.addMemory()
  }

  private func addOperations(_ counts: Metrics.Counts, to text: inout MetricsText) {
    text.add("ble_connections_total", .counter, "Links that were ready for use.", Double(counts.connections))
    text.add("ble_connections_lost_total", .counter, "Links that were lost.", Double(counts.losses))
    text.add(
      "ble_connection_attempts_failed_total", .counter, "Attempts to connect that failed.",
      Double(counts.failedAttempts))
    text.add(
      "ble_notifications_total", .counter, "Values that were notified or indicated.", Double(counts.notifications))
    text.add(
      "ble_operations_total", .counter, "Operations by their result.",
      counts.operations.sorted {
        ($0.key.operation.rawValue, $0.key.result) < ($1.key.operation.rawValue, $1.key.result)
      }.map {
        (["operation": $0.key.operation.rawValue, "result": $0.key.result], Double($0.value))
      })
    text.add(
      "ble_commands_total", .counter, "Commands of device files that were sent to devices, by their outcome.",
      counts.commands.sorted { $0.key < $1.key }.map { (["outcome": $0.key], Double($0.value)) })
    text.add(
      "ble_att_errors_total", .counter, "Errors of the Attribute Protocol, by code.",
      counts.attributeErrors.sorted { $0.key < $1.key }.map { (["code": String($0.key)], Double($0.value)) })
    text.add(
      "ble_operation_seconds", "The time of operations that succeeded.",
      Metrics.Operation.allCases.compactMap { operation in
        counts.latencies[operation].map { (("operation", operation.rawValue), $0) }
      })
  }
}
