import BLEReports
import BLESession
import Foundation

extension OpenDevice {
  /// The path with its service, so that one characteristic has one path, whether the request has named its service or not. Without a service
  /// the instance is the place among all characteristics with that UUID.
  func complete(_ path: CharacteristicPath) -> CharacteristicPath {
    guard path.service == nil else { return path }
    let all = services.lazy.flatMap(\.characteristics).map(\.path).filter { $0.characteristic == path.characteristic }
    return all.dropFirst(path.instance).first ?? path
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
    let (counts, clock) = (Guarded(SubscriptionCounts()), session.central.clock)
    let subscription = try await measured(.subscribe) { () async throws(SessionError) in
      try await session.subscribe(to: path) { [reports] value in
        let counted = counts.with { counts in
          counts.values += 1
          counts.octets += value.count
          return counts
        }
        let isTaken = reports.tell(
          .notified(
            DeviceReports.NotifiedValue(path: path, octets: Array(value), time: clock.now, counts: counted)))
        if !isTaken { counts.with { $0.dropped += 1 } }
      }
    }
    // Another browser may have subscribed meanwhile.
    if subscriptions[path] == nil {
      subscriptions[path] = Subscription(observation: subscription, counts: counts)
    } else {
      subscription.cancel()
    }
    hub.publish("session", status)
  }

  func unsubscribe(from path: CharacteristicPath) {
    subscriptions.removeValue(forKey: path)?.observation.cancel()
    hub.publish("session", status)
  }

  private func record(_ octets: [UInt8], _ way: HistoricValue.Way, of path: CharacteristicPath) -> JSONValue {
    record(HistoricValue(time: session.central.clock.now, way: way, octets: octets), of: path)
  }

  func record(_ value: HistoricValue, of path: CharacteristicPath) -> JSONValue {
    values.record(value, of: path)
    let json = value.json(of: path)
    hub.publish("value", json.preceded(by: ["identifier": .string(identifier.uuidString)]))
    return json
  }

  /// The last values of all characteristics.
  var history: JSONValue { values.json }
}
