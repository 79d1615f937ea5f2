import BLECore
import BLEReports
import BLESession
import CoreBluetooth
import Foundation

/// An open device: its session, its attributes, and the values that were read, written and notified.
actor OpenDevice {
  let session: DeviceSession
  let identifier: UUID
  private let name: String?
  private let hub: EventHub
  let metrics: Metrics
  private var state = SessionState.idle
  private var attempt = 0
  /// Why it is not ready, for people.
  private var reason: String?
  /// When all attempts end, by the central's clock.
  private var deadline: Duration?
  private var news: Observation?
  /// What the session reports, in its order, which tasks of their own would not keep.
  private let reports: AsyncStream<Report>
  private let reporting: AsyncStream<Report>.Continuation
  private var following: Task<Void, Never>?
  private var underWay = 0
  private var services: [DiscoveredService] = []
  /// The last values of each characteristic, oldest first.
  private var values: [CharacteristicPath: [RecordedValue]] = [:]
  private var subscriptions: [CharacteristicPath: Observation] = [:]

  private static let history = 256

  private enum Report: Sendable {
    case news(DeviceNews)
    case notified([UInt8], CharacteristicPath)
  }

  /// Reports that wait. A device that notifies faster than they are handled loses the oldest.
  private static let mostWaiting = 16_384

  /// A value and what it came by.
  struct RecordedValue: Sendable {
    enum Way: String, Sendable { case read, written, notified }

    let time: Duration
    let way: Way
    let octets: [UInt8]
  }

  init(_ session: DeviceSession, _ identifier: UUID, name: String?, hub: EventHub, metrics: Metrics) {
    self.session = session
    self.identifier = identifier
    self.name = name
    self.hub = hub
    self.metrics = metrics
    (reports, reporting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.mostWaiting))
  }

  /// Starts to connect, and keeps trying until `close`.
  func connect() async {
    if news == nil {
      following = Task { [weak self, reports] in
        for await report in reports { await self?.take(report) }
      }
      news = await session.observeNews { [reporting] news in reporting.yield(.news(news)) }
    }
    session.keepConnected()
  }

  func close() async {
    news?.cancel()
    reporting.finish()
    following?.cancel()
    for subscription in subscriptions.values { subscription.cancel() }
    subscriptions = [:]
    await session.disconnect()
  }

  private func take(_ report: Report) async {
    switch report {
    case .news(let news): await take(news)
    case .notified(let octets, let path):
      metrics.notified()
      _ = record(octets, .notified, of: path)
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

  // MARK: Values

  /// The path with its service, so that one characteristic has one path, whether the request has named its service or not.
  func complete(_ path: CharacteristicPath) -> CharacteristicPath {
    guard path.service == nil else { return path }
    let found = services.lazy.flatMap(\.characteristics).map(\.path).first {
      $0.characteristic == path.characteristic && $0.instance == path.instance
    }
    return found ?? path
  }

  func read(_ path: CharacteristicPath) async throws(SessionError) -> JSONValue {
    let octets = Array(try await measured(.read) { () async throws(SessionError) in try await session.read(path) })
    return record(octets, .read, of: path)
  }

  func write(_ octets: [UInt8], to path: CharacteristicPath, withResponse: Bool) async throws(SessionError) -> JSONValue
  {
    try await measured(.write) { () async throws(SessionError) in
      if withResponse {
        try await session.write(Data(octets), to: path)
      } else {
        try await session.writeWithoutResponse(Data(octets), to: path)
      }
    }
    return record(octets, .written, of: path)
  }

  func subscribe(to path: CharacteristicPath) async throws(SessionError) {
    guard subscriptions[path] == nil else { return }
    let subscription = try await measured(.subscribe) { () async throws(SessionError) in
      try await session.subscribe(to: path) { [reporting] value in
        reporting.yield(.notified(Array(value), path))
      }
    }
    // Another browser may have subscribed meanwhile.
    if subscriptions[path] == nil { subscriptions[path] = subscription } else { subscription.cancel() }
    hub.publish("session", status)
  }

  func unsubscribe(from path: CharacteristicPath) {
    subscriptions.removeValue(forKey: path)?.cancel()
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

  private func record(_ octets: [UInt8], _ way: RecordedValue.Way, of path: CharacteristicPath) -> JSONValue {
    let value = RecordedValue(time: session.central.clock.now, way: way, octets: octets)
    values[path, default: []].append(value)
    if values[path, default: []].count > Self.history { values[path]?.removeFirst() }
    let json = Self.json(value, of: path)
    hub.publish("value", json.preceded(by: ["identifier": .string(identifier.uuidString)]))
    return json
  }

  private static func json(_ value: RecordedValue, of path: CharacteristicPath) -> JSONValue {
    let uuid = path.characteristic.uuidString
    return [
      "service": .string(orNull: path.service?.uuidString), "characteristic": .string(uuid),
      "time_ms": .integer(value.time.milliseconds), "way": .string(value.way.rawValue),
      "value": ValueText(value.octets).json,
      "meaning": .string(orNull: AssignedValues.meaning(of: value.octets, in: uuid)),
    ]
  }

  /// The last values of all characteristics.
  var history: JSONValue {
    let all = values.flatMap { path, values in values.map { (path, $0) } }.sorted { $0.1.time < $1.1.time }
    return ["values": .array(all.map { Self.json($0.1, of: $0.0) })]
  }

  // MARK: State

  /// For the metrics: the state in a word, and the operations that wait for the device.
  var figures: (state: String, underWay: Int) { (SessionReport.name(of: state), underWay) }

  var status: JSONValue {
    let left = deadline.map { $0 - session.central.clock.now }
    return [
      "identifier": .string(identifier.uuidString), "name": .string(orNull: name),
      "state": .string(SessionReport.word(state)), "reason": .string(orNull: reason),
      "attempt": .integer(attempt), "left_ms": left.map { .integer(max(0, $0.milliseconds)) } ?? .null,
      "subscribed": .array(subscriptions.keys.map { .string($0.description) }),
      "services": .array(services.map(Self.json)),
    ]
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
            "uuid": .string(uuid), "name": .string(orNull: AssignedNames.name(characteristic: uuid)),
            "properties": .array(one.properties.names.map(JSONValue.string)),
          ]
        }),
    ]
  }
}
