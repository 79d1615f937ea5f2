import BLEReports
import BLESession
import Foundation

/// A measurement of how fast a device takes writes without response.
struct ThroughputMeasurement: Sendable {
  enum State: String, Sendable { case running, done, cancelled, failed }

  let path: CharacteristicPath
  let total: Int
  /// Of each value, in octets.
  let length: Int
  /// Of the Attribute Protocol; `nil` where the system does not tell.
  let mtu: Int?
  var state = State.running
  var octets = 0
  var duration = Duration.zero
  /// Why it has not come to its end.
  var message: String?

  mutating func end(_ state: State, _ message: String?) {
    self.state = state
    self.message = message
  }

  var json: JSONValue {
    let rate: JSONValue = duration > .zero ? .number((Double(octets) / duration.seconds).rounded()) : .null
    return .combined(
      path.json,
      [
        "state": .string(state.rawValue), "octets": .integer(octets), "total_octets": .integer(total),
        "seconds": .number((duration.seconds * 1_000).rounded() / 1_000), "octets_per_second": rate,
        "value_length": .integer(length), "mtu": mtu.map(JSONValue.integer) ?? .null,
        "message": .string(orNull: message),
      ])
  }
}

extension OpenDevice {
  /// How often its progress is published.
  private static let progress = Duration.milliseconds(250)

  /// Writes without response until so many octets have arrived.
  /// - Parameter length: of each value; `nil`: the longest that the link carries in one packet of the protocol.
  /// - Throws: `invalid` while another one is under way, and for a length that is too great; the errors of writes.
  func measureThroughput(
    to path: CharacteristicPath, octets: Int, length: Int?, mtu: Int?
  ) async throws(SessionError) -> JSONValue {
    let longest = await session.maximumWriteLength(withResponse: false)
    let length = length ?? longest
    guard length <= longest else {
      throw SessionError(.invalid, "\(length) octets do not fit into one write without response: at most \(longest)")
    }
    guard isReady else { throw SessionError(.notConnected, "there is no connection to the device") }
    guard measuring == nil else {
      throw SessionError(.unavailable, "a measurement of this device is under way: cancel it, or wait for its end")
    }
    let (ends, ending) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    measuring = ending
    defer { measuring = nil }
    measurement = ThroughputMeasurement(path: path, total: octets, length: length, mtu: mtu)
    publishMeasurement()
    // Children of this task, so that a simulated clock waits for them as for the request.
    let outcome = await withTaskGroup(of: Outcome.self) { group in
      group.addTask { await self.writeAll(octets, length, to: path) }
      group.addTask {
        for await reason in ends { return .cancelled(reason) }
        return .cancelled("the request was given up")
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .done
    }
    switch outcome {
    case .done: measurement?.end(.done, nil)
    case .cancelled(let reason): measurement?.end(.cancelled, reason)
    case .failed(let error): measurement?.end(.failed, error.description)
    }
    publishMeasurement()
    if case .failed(let error) = outcome { throw error }
    return measurementJSON
  }

  private enum Outcome: Sendable {
    case done
    case cancelled(String)
    case failed(SessionError)
  }

  private func writeAll(_ total: Int, _ length: Int, to path: CharacteristicPath) async -> Outcome {
    let (clock, pattern) = (session.central.clock, (0..<length).map { UInt8(truncatingIfNeeded: $0) })
    let start = clock.now
    var told = start
    var octets = 0
    do throws(SessionError) {
      while octets < total {
        let count = min(length, total - octets)
        try await session.writeWithoutResponse(Data(pattern.prefix(count)), to: path)
        octets += count
        measurement?.octets = octets
        measurement?.duration = clock.now - start
        guard clock.now - told >= Self.progress else { continue }
        told = clock.now
        publishMeasurement()
      }
      // The device answers requests in the order in which they and the writes have come (Core, Vol 3 Part F 3.3.2): with this answer
      // all have arrived, also those that the system had only taken.
      if let service = services.first(where: { $0.characteristics.contains { $0.path == path } }) {
        _ = try await session.includedServices(of: service)
      }
      measurement?.duration = clock.now - start
      return .done
    } catch {
      return .failed(error)
    }
  }

  /// Ends the measurement that is under way.
  /// - Throws: `unavailable` where there is none.
  func cancelMeasurement() throws(APIError) {
    guard let measuring else { throw APIError(.unavailable, "no measurement is under way") }
    measuring.yield("cancelled by a user")
  }

  private func publishMeasurement() {
    hub.publish("throughput", measurementJSON.preceded(by: ["identifier": .string(identifier.uuidString)]))
  }

  /// Of the measurement that is under way, or the last one.
  var measurementJSON: JSONValue { measurement?.json ?? Self.noMeasurement }

  static let noMeasurement: JSONValue = [
    "service": .null, "characteristic": .null, "instance": .null, "state": .null, "octets": .null,
    "total_octets": .null,
    "seconds": .null, "octets_per_second": .null, "value_length": .null, "mtu": .null, "message": .null,
  ]
}
