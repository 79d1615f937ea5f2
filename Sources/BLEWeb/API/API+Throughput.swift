import BLEReports
import BLESession
import Foundation

extension API {
  private static let path = "/api/v1/devices/{identifier}/throughput"

  /// How fast a device takes writes without response.
  static let throughputRoutes: [Route] = [
    Route(.get, path, "The measurement that is under way, or the last one") {
      (explorer, call) async throws(APIError) in
      .json(await explorer.opened[try call.identifier]?.measurementJSON ?? OpenDevice.noMeasurement)
    },
    Route(
      .post, path,
      "Writes without response until so many octets have arrived, and says how long that took; one at a time for a device",
      body: characteristic + [
        BodyMember("octets", .integer(1...16_777_216), isRequired: false, "how many; 65536 without this member"),
        BodyMember(
          "length", .integer(1...512), isRequired: false,
          "of each value; the longest that is possible without this member"),
      ]
    ) { (explorer, call) async throws(APIError) in
      let (device, path) = try await call.characteristic(explorer)
      let mtu = explorer.surroundings.maximumTransmissionUnit(try call.identifier)
      return .json(
        try await call.session { () async throws(SessionError) in
          try await device.measureThroughput(
            to: path, octets: call.integer("octets") ?? 65_536, length: call.integer("length"), mtu: mtu)
        })
    },
    Route(.delete, path, "Ends the measurement that is under way") { (explorer, call) async throws(APIError) in
      let device = try await call.opened(explorer)
      try await device.cancelMeasurement()
      return .json(await device.measurementJSON)
    },
  ]
}

extension Explorer {
  /// What is known of a link: its strength, the longest writes, and the MTU where the system tells it.
  func signal(of identifier: UUID) async -> JSONValue {
    .combined(
      await opened[identifier]?.signal() ?? OpenDevice.noSignal,
      ["mtu": surroundings.maximumTransmissionUnit(identifier).map(JSONValue.integer) ?? .null])
  }
}
