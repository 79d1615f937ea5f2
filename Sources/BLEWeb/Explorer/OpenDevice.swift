import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// An open device: its session, its attributes, and the values that were read, written and notified.
actor OpenDevice {
  let session: DeviceSession
  let identifier: UUID
  let hub: EventHub
  let metrics: Metrics
  let channels: DeviceChannels
  let name: String?
  private var state = SessionState.idle
  private var attempt = 0
  /// Why it is not ready, for people.
  private var reason: String?
  /// When all attempts end, by the central's clock.
  private var deadline: Duration?
  private var news: Observation?
  let reports = DeviceReports()
  private var following: Task<Void, Never>?
  private var underWay = 0
  private(set) var services: [DiscoveredService] = []
  var values = ValueHistory()
  var subscriptions: [CharacteristicPath: Subscription] = [:]
  /// The measurement that is under way, or the last one.
  var measurement: ThroughputMeasurement?
  /// Ends the one that is under way.
  var measuring: AsyncStream<String>.Continuation?

  struct Subscription: Sendable {
    let observation: Observation
    let counts: Guarded<SubscriptionCounts>
  }

  init(_ session: DeviceSession, _ identifier: UUID, name: String?, hub: EventHub, metrics: Metrics) {
    self.session = session
    self.identifier = identifier
    self.name = name
    self.hub = hub
    self.metrics = metrics
    channels = DeviceChannels(of: identifier, clock: session.central.clock, hub: hub)
  }

  /// Starts to connect, and keeps trying until `close`.
  func connect() async {
    if news == nil {
      following = Task { [weak self, reports] in
        for await report in reports.stream {
          reports.taken()
          await self?.take(report)
        }
      }
      news = await session.observeNews { [reports] news in reports.tell(.news(news)) }
    }
    session.keepConnected()
  }

  func close() async {
    news?.cancel()
    reports.finish()
    following?.cancel()
    for subscription in subscriptions.values { subscription.observation.cancel() }
    subscriptions = [:]
    measuring?.yield("the device was closed")
    await channels.end("the device was closed here")
    await session.disconnect()
  }

  private func take(_ report: DeviceReports.Report) async {
    switch report {
    case .news(let news): await take(news)
    case .notified(let value):
      metrics.notified()
      _ = record(
        HistoricValue(time: value.time, way: .notified, octets: value.octets, counts: value.counts), of: value.path)
    }
  }

  private func take(_ news: DeviceNews) async {
    metrics.happened(news.event)
    let report = SessionReport(news.event)
    switch news.event {
    case .state(let new):
      state = new
      if new == .ready {
        (deadline, reason) = (nil, nil)
        services = await session.services()
      } else {
        measuring?.yield("the link has ended")
      }
    case .attempt(let number, let remaining):
      attempt = number
      deadline = news.time + remaining
    case .servicesChanged: services = await session.services()
    case .disconnected, .attemptFailed, .hint: reason = report.sentence
    default: break
    }
    if let name = report.name {
      let about: JSONValue = [
        "identifier": .string(identifier.uuidString), "event": .string(name), "text": .string(orNull: report.sentence),
      ]
      hub.publish("news", .combined(about, report.members))
    }
    hub.publish("session", status)
  }

  /// Does what may take its time, and counts it.
  func measured<Value: Sendable>(
    _ operation: Metrics.Operation, _ work: @Sendable () async throws(SessionError) -> Value
  ) async throws(SessionError) -> Value {
    underWay += 1
    defer { underWay -= 1 }
    return try await metrics.measure(operation, by: session.central.clock, work)
  }

  // MARK: State

  /// For the metrics: the state in a word, and the operations that wait for the device.
  var figures: (state: String, underWay: Int) { (SessionReport.name(of: state), underWay) }

  var isReady: Bool { state == .ready }

  var status: JSONValue {
    let left = deadline.map { $0 - session.central.clock.now }
    return [
      "identifier": .string(identifier.uuidString), "name": .string(orNull: name),
      "state": .string(SessionReport.word(state)), "reason": .string(orNull: reason),
      "attempt": .integer(attempt), "left_ms": left.map { .integer(max(0, $0.milliseconds)) } ?? .null,
      "subscribed": .array(subscriptions.keys.map { .string($0.description) }),
      "subscriptions": .array(subscriptions.map { Self.json($0.key, $0.value.counts.with { $0 }) }),
      "services": .array(services.map(Self.json)),
    ]
  }

  private static func json(_ path: CharacteristicPath, _ counts: SubscriptionCounts) -> JSONValue {
    .combined(
      path.json,
      [
        "values": .integer(counts.values), "octets": .integer(counts.octets), "dropped": .integer(counts.dropped),
      ])
  }

  private static func json(_ service: DiscoveredService) -> JSONValue {
    [
      "uuid": .string(service.uuid.uuidString), "instance": .integer(service.instance),
      "primary": .bool(service.isPrimary),
      "name": .string(orNull: AssignedNames.name(service: service.uuid.uuidString)),
      "characteristics": .array(
        service.characteristics.map { one in
          let uuid = one.path.characteristic.uuidString
          return [
            "uuid": .string(uuid), "instance": .integer(one.path.instance),
            "name": .string(orNull: AssignedNames.name(characteristic: uuid)),
            "properties": .array(one.properties.names.map(JSONValue.string)),
          ]
        }),
    ]
  }
}
