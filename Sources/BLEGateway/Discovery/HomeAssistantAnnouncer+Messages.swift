import BLESessionStore
import Foundation

/// What is published, and what of it is remembered.
extension HomeAssistantAnnouncer {
  private static let mostWaiting = 32
  /// Longer messages are those of others.
  private static let longestLook = 65_536
  /// In seconds: so long nothing is announced after a refusal.
  private static let reluctance = 600.0

  func announceAll() {
    guard settings != nil else { return }
    repeated = plan.now()
    enqueue(discovery.gateway(), of: "")
    for (device, entity) in trackers { enqueue([entity], of: device) }
    for device in shown.sorted() { announce(device) }
    for sensor in plan.sensors.all { announce(sensor: sensor.device) }
  }

  func announce(sensor name: String) {
    guard isUp, plan.configuration.announcesSensors, let sensor = plan.sensors[name] else { return }
    enqueue(discovery.entities(of: sensor), of: name)
  }

  func announce(_ name: String) {
    if isUp, let device = devices[name] { enqueue(discovery.entities(of: device), of: name) }
  }

  private func enqueue(_ entities: [HomeAssistantEntity], of device: String) {
    // What is announced is not taken back, whatever is still to come of what the broker has retained.
    for entity in entities { stale[entity.topic] = nil }
    let new = entities.map(\.topic).filter { !known.contains($0) }
    if !new.isEmpty {
      do throws(StoreError) {
        try plan.memory.add(new, .init(gateway: plan.configuration.name, device: device))
        known.formUnion(new)
      } catch {
        // Tried again with the next announcement: it is shown, and cannot be taken back before that.
      }
    }
    for entity in entities { enqueue(entity.topic, entity.payload) }
  }

  func enqueue(_ topic: String, _ payload: String?) {
    guard !isRefused else { return }
    payloads[topic] = payload
    if queued.insert(topic).inserted { queue.append(topic) }
  }

  func send(_ publisher: any BrokerPublisher) {
    while isUp, waiting.count < Self.mostWaiting, let topic = queue.first {
      let payload = Data((payloads[topic] ?? "").utf8)
      switch publisher.publish(BrokerPublication(topic: topic, payload: payload, isRetained: true)) {
      case .sent(let number): waiting[number] = topic
      case .notConnected: return
      // It is longer than the broker takes, and the only one.
      case .unsendable: plan.refused(topic)
      }
      queue.removeFirst()
      queued.remove(topic)
    }
  }

  /// Brokers end the link after what they forbid: with each new link it would begin again.
  func refuse(_ topic: String) {
    if refusal == nil { plan.refused(topic) }
    refusal = plan.now()
    (queue, queued) = ([], [])
  }

  /// Whether the broker has refused an announcement a short time ago.
  private var isRefused: Bool {
    if let refusal, abs(plan.now().timeIntervalSince(refusal)) < Self.reluctance { return true }
    refusal = nil
    return false
  }

  /// So that a later process takes back the sensors that this one has no broker for. Rules and what was heard are not in the file.
  func rememberStaleSensors() {
    let sensors = stale.filter { !$0.value.device.isEmpty && $0.key.contains(HomeAssistantDiscovery.measurementMark) }
    for (gateway, topics) in Dictionary(grouping: sensors.keys, by: { sensors[$0]?.gateway ?? "" }) {
      try? plan.memory.add(topics, .init(gateway: gateway, device: ""))
    }
    // One of them that is announced again is remembered again.
    known.subtract(stale.keys)
  }

  func forget(_ topic: String) {
    // What stays in the file is looked at again at the next start.
    try? plan.memory.remove(topic)
    known.remove(topic)
  }

  /// The identifier of the gateway that has announced an entity.
  static func gateway(in payload: Data) -> String? {
    guard payload.count <= longestLook else { return nil }
    let object = (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any]
    let device = object?["device"] as? [String: Any]
    return device?["via_device"] as? String ?? (device?["identifiers"] as? [String])?.first
  }
}
