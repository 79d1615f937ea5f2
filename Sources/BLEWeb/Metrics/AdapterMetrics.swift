/// What is counted of an adapter, in words and numbers.
package struct AdapterMetrics: Sendable {
  package let name: String
  package let resets: Int
  package let restartedScans: Int
  /// By the reason.
  package let lostLinks: [String: Int]
  package let sentOctets: UInt64?
  package let receivedOctets: UInt64?

  package init(
    name: String, resets: Int, restartedScans: Int, lostLinks: [String: Int], sentOctets: UInt64?,
    receivedOctets: UInt64?
  ) {
    self.name = name
    self.resets = resets
    self.restartedScans = restartedScans
    self.lostLinks = lostLinks
    self.sentOctets = sentOctets
    self.receivedOctets = receivedOctets
  }
}

extension MetricsText {
  package mutating func addAdapters(_ adapters: [AdapterMetrics]) {
    add(
      "ble_adapter_resets_total", .counter, "How often the adapter was lost while it was in use.",
      adapters.map { (["adapter": $0.name], Double($0.resets)) })
    add(
      "ble_adapter_restarted_scans_total", .counter, "Scans that were begun again because they heard nothing.",
      adapters.map { (["adapter": $0.name], Double($0.restartedScans)) })
    add(
      "ble_adapter_lost_links_total", .counter, "Links that ended without the program's wish, by the reason.",
      adapters.flatMap { adapter in
        adapter.lostLinks.sorted { $0.key < $1.key }.map {
          (["adapter": adapter.name, "reason": $0.key], Double($0.value))
        }
      })
    add(
      "ble_adapter_octets_total", .counter, "Octets of HCI packets, where this program has the controller.",
      adapters.flatMap { adapter -> [(MetricsText.Labels, Double)] in
        [("sent", adapter.sentOctets), ("received", adapter.receivedOctets)].compactMap { direction, count in
          count.map { (["adapter": adapter.name, "direction": direction], Double($0)) }
        }
      })
  }

  package mutating func addMemory() {
    add(
      "process_resident_memory_bytes", .gauge, "The memory of this process.",
      ProcessMemory.resident.map { [([:], Double($0))] } ?? [])
  }
}
