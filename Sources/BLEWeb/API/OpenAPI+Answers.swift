import BLEReports

/// What the answers hold. Members are added in later versions; those that are here stay.
extension OpenAPI {
  /// The schema of what a route answers; any object where it is not described further.
  static func answer(of route: Route) -> JSONValue {
    let key = "\(route.method.rawValue) \(route.path)"
    guard let name = answers[key] ?? furtherAnswers[key] else { return ["type": "object"] }
    return reference(name)
  }

  private static let answers = [
    "GET /api/v1/status": "Status", "PUT /api/v1/scan": "Status",
    "GET /api/v1/devices": "Devices", "GET /api/v1/sessions": "Sessions",
    "GET /api/v1/devices/{identifier}": "Session", "POST /api/v1/devices/{identifier}/connect": "Session",
    "POST /api/v1/devices/{identifier}/disconnect": "Status", "POST /api/v1/devices/{identifier}/read": "Value",
    "POST /api/v1/devices/{identifier}/write": "Value", "POST /api/v1/devices/{identifier}/subscribe": "Session",
    "POST /api/v1/devices/{identifier}/unsubscribe": "Session",
    "POST /api/v1/devices/{identifier}/descriptors": "Descriptors",
    "GET /api/v1/devices/{identifier}/signal": "Signal", "GET /api/v1/devices/{identifier}/values": "Values",
    "GET /api/v1/pairings": "Pairings", "POST /api/v1/pairings/{number}": "Pairings",
    "GET /api/v1/bonds": "Bonds", "DELETE /api/v1/bonds/{address}": "Bonds",
    "GET /api/v1/serving": "Serving", "PUT /api/v1/serving": "Serving", "DELETE /api/v1/serving": "Serving",
    "POST /api/v1/serving/push": "Serving",
    "GET /api/v1/radio": "Radio", "PUT /api/v1/radio": "Radio", "POST /api/v1/radio/step": "Radio",
    "PUT /api/v1/radio/devices/{name}": "Radio",
    "GET /api/v1/devices/{identifier}/advertisements": "Advertisements",
  ]

  static let schemas: JSONValue = [
    "Error": object(["error": object(["kind": text, "message": text, "att_error": orNull(integer)])]),
    "Status": object([
      "adapter": text, "state": text, "scanning": flag, "devices": count, "radio": flag, "fleet": flag,
      "time_ms": count,
    ]),
    "Devices": object(["last_event": count, "devices": list(reference("Device"))]),
    "Device": object([
      "identifier": identifier, "address": orNull(text), "name": orNull(text), "rssi": orNull(integer),
      "connectable": flag, "services": list(text), "solicited_services": list(text), "overflow_services": list(text),
      "manufacturer_data": orNull(octets), "service_data": list(object(["service": text, "data": octets])),
      "tx_power": orNull(integer), "company": orNull(text), "service_names": list(text), "last_seen_ms": count,
      "interval_ms": orNull(count), "stale": flag, "strengths": list(orNull(integer), longest: 60),
      "beacons": list(reference("Beacon")),
    ]),
    "Advertisements": object([
      "identifier": identifier,
      "advertisements": list(
        object([
          "number": count, "first_seen_ms": count, "last_seen_ms": count, "count": count, "rssi_min": orNull(integer),
          "rssi_max": orNull(integer), "changed": list(text), "name": orNull(text), "connectable": flag,
          "services": list(text), "solicited_services": list(text), "overflow_services": list(text),
          "manufacturer_data": orNull(octets), "service_data": list(object(["service": text, "data": octets])),
          "tx_power": orNull(integer), "beacons": list(reference("Beacon")), "company": orNull(text),
          "service_names": list(text),
        ]), longest: 100),
    ]),
    "Beacon": object([
      "format": [
        "type": "string",
        "enum": .array(BeaconFrame.Format.allCases.map { .string($0.rawValue) }),
      ], "service": orNull(text), "problem": orNull(text),
      "fields": list(
        object([
          "name": text, "octets": octets, "unit": orNull(text), "value": ["type": ["string", "number", "null"]],
        ])),
    ]),
    "Sessions": object(["last_event": count, "sessions": list(reference("Session"))]),
    "Session": object([
      "identifier": identifier, "name": orNull(text), "state": text, "reason": orNull(text), "attempt": count,
      "left_ms": orNull(count), "subscribed": list(text),
      "services": list(
        object([
          "uuid": text, "instance": count, "primary": flag, "name": orNull(text),
          "characteristics": list(object(["uuid": text, "name": orNull(text), "properties": list(text)])),
        ])),
    ]),
    "Octets": object(["hex": octets, "utf8": orNull(text)]),
    "Value": object([
      "service": orNull(text), "characteristic": text, "time_ms": count,
      "way": ["type": "string", "enum": ["read", "written", "notified"]], "value": reference("Octets"),
      "meaning": orNull(text),
    ]),
    "Values": object(["values": list(reference("Value"))]),
    "Descriptors": object([
      "descriptors": list(
        object([
          "uuid": text, "name": orNull(text), "error": orNull(text),
          "value": ["anyOf": [text, integer, ["type": "null"], reference("Octets")]],
        ]))
    ]),
    "Signal": object([
      "rssi": orNull(integer), "longest_write": orNull(count), "longest_write_without_response": orNull(count),
    ]),
    "Pairings": object([
      "pairings": list(
        object([
          "number": count, "kind": text, "digits": orNull(text), "method": text, "secure_connections": flag,
          "occasion": text, "peer": object(["address": text, "name": orNull(text)]), "question": text,
        ]))
    ]),
    "Bonds": object([
      "bonds": list(
        object([
          "address": text, "identifier": orNull(text), "name": orNull(text), "protection": orNull(text),
        ]))
    ]),
    "Serving": object([
      "serving": flag, "advertising": flag, "name": orNull(text), "problem": orNull(text), "profiles": list(text),
      "characteristics": list(
        object([
          "service": orNull(text), "characteristic": text, "name": orNull(text), "properties": list(text),
          "value": reference("Octets"), "subscribers": count,
        ])),
    ]),
    "Radio": object([
      "time_ms": count, "running": flag, "speed": number, "loss": number,
      "devices": list(
        object([
          "name": text, "kind": text, "x": number, "y": number, "on": flag, "explorer": flag, "distance": number,
        ])),
    ]),
  ]

  // MARK: Parts

  static let text: JSONValue = ["type": "string"]
  static let flag: JSONValue = ["type": "boolean"]
  static let integer: JSONValue = ["type": "integer"]
  static let number: JSONValue = ["type": "number"]
  static let count: JSONValue = ["type": "integer", "minimum": .integer(0)]
  static let identifier: JSONValue = ["type": "string", "format": "uuid"]
  static let octets: JSONValue = ["type": "string", "pattern": "^([0-9a-f]{2})*$"]

  static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

  static func orNull(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

  static func list(_ schema: JSONValue, longest: Int? = nil) -> JSONValue {
    guard let longest else { return ["type": "array", "items": schema] }
    return ["type": "array", "items": schema, "maxItems": .integer(longest)]
  }

  /// An object that has all of these members.
  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    [
      "type": "object", "required": .array(members.map { .string($0.key) }),
      "properties": .object(members.map { JSONValue.Member(key: $0.key, value: $0.value) }),
    ]
  }
}
