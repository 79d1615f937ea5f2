import BLEReports

/// What a broker knows of gateways and of their devices, for the page that shows it. An explorer may have none.
package protocol FleetSource: Sendable {
  /// Everything that is known, with the members that `OpenAPI` describes.
  var fleet: JSONValue { get }
  /// The same of what has changed since the last call; `nil`: nothing.
  func changes() -> JSONValue?
}

extension API {
  static let fleetRoutes: [Route] = [
    Route(.get, "/api/v1/fleet", "The gateways of a broker and their devices; with --fleet only") {
      (explorer, _) async throws(APIError) in
      guard let source = explorer.surroundings.fleet else {
        throw APIError(.notFound, "this explorer looks at no broker: begin it with --fleet")
      }
      return .json(source.fleet)
    }
  ]
}

extension OpenAPI {
  private static let status = orNull(["type": "string", "enum": ["online", "offline"]])

  static let fleetSchemas: JSONValue = [
    "Fleet": object([
      "time_ms": count, "broker": text, "connected": flag, "reason": orNull(text), "ignored": count,
      "gateways": list(reference("FleetGateway")), "devices": list(reference("FleetDevice")),
      "gone_gateways": list(text), "gone_devices": list(text),
    ]),
    "FleetGateway": object([
      "gateway": text, "status": status, "since": orNull(text), "version": orNull(text), "devices": orNull(count),
      "listening": orNull(flag), "heard_ms": orNull(count),
    ]),
    "FleetDevice": object([
      "device": text, "name": orNull(text), "address": orNull(text), "holder": orNull(text), "phase": orNull(text),
      "epoch": orNull(count), "status": status, "room": orNull(text),
      "values": list(
        object([
          "name": text, "text": text, "number": orNull(number), "unit": orNull(text), "gateway": text,
          "time": orNull(text),
        ])), "strengths": list(object(["gateway": text, "rssi": number])), "heard_ms": orNull(count),
    ]),
  ]
}
