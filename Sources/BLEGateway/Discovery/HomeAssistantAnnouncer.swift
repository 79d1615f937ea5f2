import BLEReports
import BLESession
import BLESessionStore
import Foundation

/// Publishes, repeats and takes back the announcements of the gateway's devices to Home Assistant. Used on the link's queue only.
///
/// The messages do not go through the outbox: each connection publishes all of them, so that none has to be kept.
final class HomeAssistantAnnouncer {
  /// What happens to a device.
  enum News: Sendable {
    /// It is connected and ready.
    case ready(GatewayMessages.Subject)
    /// This characteristic has a value, for the first time.
    case value(CharacteristicPath, device: String)
    /// This sensor, which only advertises, is heard for the first time, or has measured something else.
    case heard(String)
    /// It is not kept any more.
    case stopped(String)
  }

  /// What an announcer is made of.
  struct Plan: Sendable {
    var configuration: GatewayConfiguration
    var memory: AnnouncedTopics
    var remembered: [String: AnnouncedTopics.Owner]
    var sensors: HeardSensors
    var version: String
    var now: @Sendable () -> Date
    /// Called on the link's queue for a topic that the broker does not allow.
    var refused: @Sendable (String) -> Void

    /// The sensors, which only advertise, that were announced before and are not to be taken back.
    var rememberedSensors: Set<String> {
      guard configuration.announcesSensors else { return [] }
      let own = remembered.filter { $0.key.contains(HomeAssistantDiscovery.measurementMark) }
      return Set(own.map(\.value.device).filter { !$0.isEmpty })
    }

    /// With what was announced until now.
    func upToDate() -> Self {
      var plan = self
      plan.remembered = (try? memory.all()) ?? remembered
      return plan
    }
  }

  let plan: Plan
  let settings: HomeAssistantSettings?
  let discovery: HomeAssistantDiscovery
  var devices: [String: HomeAssistantDevice] = [:]
  /// Devices of which every value is published: what they have is learned from it.
  private var learning: Set<String> = []
  /// Those that this process keeps and has had ready.
  var shown: Set<String> = []
  var known: Set<String>
  /// What the configuration does not have any more.
  var stale: [String: AnnouncedTopics.Owner] = [:]
  var payloads: [String: String] = [:]
  var queue: ArraySlice<String> = []
  var queued: Set<String> = []
  var waiting: [BrokerLink.PublicationNumber: String] = [:]
  var isUp = false
  /// When the broker has refused an announcement.
  var refusal: Date?
  var repeated: Date?

  /// The most characteristics that are learned of a device, which says itself what it has.
  static let mostLearned = 32
  /// In seconds: a flood of `online` repeats nothing.
  private static let pause = 10.0

  init(_ plan: Plan) {
    self.plan = plan
    settings = plan.configuration.homeAssistant
    discovery = HomeAssistantDiscovery(
      prefix: settings?.prefix ?? "", topics: plan.configuration.topics, version: plan.version)
    known = Set(plan.remembered.keys)
    guard settings != nil else {
      stale = plan.remembered
      return
    }
    for device in plan.configuration.devices {
      var shown = HomeAssistantDevice(device)
      shown.room = plan.configuration.rooms[plan.configuration.name]
      shown.label = plan.configuration.presence?.tracked[device.name]
      devices[device.name] = shown
      if device.values == .everything { learning.insert(device.name) }
    }
    let planned = Set(
      (devices.values.flatMap { discovery.entities(of: $0) } + trackers.map(\.entity) + discovery.gateway()).map(
        \.topic))
    var learned: [String: Int] = [:]
    let announcesSensors = plan.configuration.announcesSensors
    for (topic, owner) in plan.remembered.sorted(by: { $0.key < $1.key }) where !planned.contains(topic) {
      // It is heard sooner or later.
      if announcesSensors, topic.contains(HomeAssistantDiscovery.measurementMark),
        plan.sensors.isAnnounced(owner.device)
      {
        continue
      }
      if learning.contains(owner.device), topic.contains(HomeAssistantDiscovery.characteristicMark) {
        learned[owner.device, default: 0] += 1
        if learned[owner.device, default: 0] <= Self.mostLearned { continue }
      }
      stale[topic] = owner
    }
    rememberStaleSensors()
  }

  /// The rooms of those devices that the configuration tracks.
  var trackers: [(device: String, entity: HomeAssistantEntity)] {
    (plan.configuration.presence?.tracked ?? [:]).sorted { $0.key < $1.key }
      .map { ($0.key, discovery.tracker(of: $0.key, called: $0.value)) }
  }

  // MARK: The link

  func take(_ event: BrokerEvent, _ publisher: any BrokerPublisher) {
    switch event {
    case .connected: return linkIsUp(publisher)
    case .disconnected: reset(isUp: false)
    case .acknowledged(let number, let code):
      guard let topic = waiting.removeValue(forKey: number) else { return }
      if code >= 128 {
        refuse(topic)
      } else if payloads[topic] == nil {
        forget(topic)
      }
    case .received(let messages): for message in messages { take(message) }
    case .oversized: break
    }
    send(publisher)
  }

  /// Publishes everything.
  func linkIsUp(_ publisher: any BrokerPublisher) {
    reset(isUp: true)
    publisher.subscribe((settings.map { [$0.status] } ?? []) + stale.keys.sorted())
    announceAll()
    send(publisher)
  }

  private func reset(isUp: Bool) {
    (self.isUp, queue, queued, waiting) = (isUp, [], [], [:])
  }

  private func take(_ message: BrokerMessage) {
    if let owner = stale[message.topic] {
      // What another gateway has announced there since then is left alone.
      guard message.isRetained, !message.payload.isEmpty else { return }
      stale[message.topic] = nil
      if Self.gateway(in: message.payload) == HomeAssistantDiscovery.identifier(ofGateway: owner.gateway) {
        enqueue(message.topic, nil)
      } else {
        forget(message.topic)
      }
    } else if message.topic == settings?.status, message.payload == Data("online".utf8), !message.isRetained {
      if let repeated, abs(plan.now().timeIntervalSince(repeated)) < Self.pause { return }
      announceAll()
    }
  }

  func take(_ news: News, _ publisher: any BrokerPublisher) {
    guard settings != nil else { return }
    switch news {
    case .ready(let subject):
      devices[subject.device]?.address = subject.address
      shown.insert(subject.device)
      announce(subject.device)
    case .value(let path, let device):
      guard learning.contains(device), let count = devices[device]?.characteristics.count, count < Self.mostLearned,
        devices[device]?.characteristics.contains(path) == false, HomeAssistantDiscovery.hasQuantity(path)
      else { return }
      devices[device]?.characteristics.append(path)
      if shown.contains(device) { announce(device) }
    case .heard(let device): announce(sensor: device)
    case .stopped(let device): shown.remove(device)
    }
    send(publisher)
  }
}
