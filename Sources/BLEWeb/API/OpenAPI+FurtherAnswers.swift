import BLEReports

/// The answers about channels, chats, the log, recordings, device files and clones.
extension OpenAPI {
  static let furtherAnswers: [String: String] = {
    var found = [
      "GET /api/v1/openapi.json": "Description", "GET /api/v1/fleet": "Fleet",
      "POST /api/v1/devices/{identifier}/descriptors/read": "Descriptor",
      "POST /api/v1/devices/{identifier}/descriptors/write": "Descriptor",
      "POST /api/v1/devices/{identifier}/channels": "Channel",
      "GET /api/v1/devices/{identifier}/throughput": "Throughput",
      "POST /api/v1/devices/{identifier}/throughput": "Throughput",
      "DELETE /api/v1/devices/{identifier}/throughput": "Throughput",
      "GET /api/v1/chat": "Chat", "PUT /api/v1/chat": "Chat", "DELETE /api/v1/chat": "Chat",
      "POST /api/v1/chat/messages": "Message",
      "GET /api/v1/log": "Log", "GET /api/v1/log/{after}": "Log", "GET /api/v1/packets/{after}/{through}": "Packets",
      "GET /api/v1/recordings": "Recordings", "GET /api/v1/recordings/{number}/{from}": "RecordedEntries",
      "GET /api/v1/device-files": "DeviceFiles", "GET /api/v1/device-files/{name}": "DeviceFileText",
      "PUT /api/v1/device-files/{name}": "DeviceFile", "DELETE /api/v1/device-files/{name}": "DeviceFiles",
      "GET /api/v1/devices/{identifier}/device-file": "VendorDevice",
      "POST /api/v1/devices/{identifier}/device-file": "VendorDevice",
      "DELETE /api/v1/devices/{identifier}/device-file": "VendorDevice",
      "POST /api/v1/devices/{identifier}/commands/{command}": "CommandAnswer",
      "POST /api/v1/clones": "Clone", "POST /api/v1/devices/{identifier}/clone": "ReadClone",
      "PUT /api/v1/serving/state/{field}": "Serving", "POST /api/v1/serving/notifications/{notification}": "Serving",
      "PUT /api/v1/radio/devices/{name}/faults": "Radio",
    ]
    for path in ["/api/v1/devices/{identifier}/channels", "/api/v1/serving/channels"] {
      found["GET \(path)"] = "Channels"
      found["GET \(path)/{number}"] = "ChannelWithPieces"
      for route in ["PUT \(path)/{number}", "DELETE \(path)/{number}", "POST \(path)/{number}/send"] {
        found[route] = "Channel"
      }
      for method in ["POST", "DELETE"] { found["\(method) \(path)/{number}/throughput"] = "Channel" }
    }
    return found
  }()

  static var furtherSchemas: JSONValue {
    .combined(.combined(conversationSchemas, logSchemas), .combined(deviceFileSchemas, fleetSchemas))
  }

  // MARK: Channels, throughput, chats

  private static let channelMembers: KeyValuePairs<String, JSONValue> = [
    "channel": count, "psm": count, "open": flag, "reason": orNull(text), "received": count, "sent": count,
    "waiting": count, "paused": flag, "peer": identifier, "throughput": orNull(reference("ChannelThroughput")),
  ]

  private static let conversationSchemas: JSONValue = [
    "Channels": object(["channels": list(reference("Channel"))]),
    "Channel": object(channelMembers),
    "ChannelWithPieces": [
      "allOf": [
        reference("Channel"),
        object([
          "pieces": list(
            object([
              "number": count, "time_ms": count, "way": word("sent", "received"), "value": reference("Octets"),
            ]))
        ]),
      ]
    ],
    "ChannelThroughput": object([
      "state": text, "total_octets": count, "sent": count, "sent_octets_per_second": orNull(number),
      "received": count, "received_octets_per_second": orNull(number), "seconds": number, "message": orNull(text),
    ]),
    "Descriptor": object([
      "service": orNull(text), "characteristic": text, "instance": count, "uuid": text, "index": count,
      "name": orNull(text), "value": ["anyOf": [text, integer, ["type": "null"], reference("Octets")]],
      "meaning": orNull(text), "error": orNull(text),
    ]),
    "Throughput": object([
      "service": orNull(text), "characteristic": orNull(text), "instance": orNull(count), "state": orNull(text),
      "octets": orNull(count), "total_octets": orNull(count), "seconds": orNull(number),
      "octets_per_second": orNull(number), "value_length": orNull(count), "mtu": orNull(count),
      "message": orNull(text),
    ]),
    "Chat": object([
      "joined": flag, "name": orNull(text), "state": text, "problem": orNull(text),
      "partner": orNull(
        object([
          "name": orNull(text), "identifier": orNull(text), "framed": flag, "role": word("central", "peripheral"),
          "code": orNull(text), "code_changed": flag, "failed_agreements": count,
        ])), "messages": list(reference("Message")),
    ]),
    "Message": object([
      "number": count, "own": flag, "text": text, "cut": flag, "said_ms": count, "delivery": orNull(text),
    ]),
  ]

  // MARK: The log

  private static let logSchemas: JSONValue = [
    "Description": object(["openapi": text, "info": object(["title": text, "version": text]), "paths": anyObject]),
    "Log": object([
      "entries": list(
        object([
          "number": count, "time_ms": count, "kind": text, "packets": object(["after": count, "through": count]),
          "data": anyObject,
        ]), longest: 5_000), "part": flag, "last_event": count,
    ]),
    "Packets": object(["packets": list(object(["number": count, "text": text, "hex": octets]), longest: 500)]),
    "Recordings": object(["recordings": list(object(["number": count, "name": text]))]),
    "RecordedEntries": object([
      "entries": list(
        object(["time_ms": integer, "kind": word("value", "event", "rssi", "connection"), "data": anyObject])),
      "next_ms": orNull(integer),
    ]),
  ]

  // MARK: Device files

  private static let field = object([
    "name": text, "description": orNull(text), "expected": text, "default": orNull(text), "unit": orNull(text),
    "as": word("integer", "text", "hex"), "octets": orNull(count), "minimum": orNull(integer),
    "maximum": orNull(integer), "words": list(text),
  ])
  private static let deviceFile = object([
    "file": text, "built_in": flag, "name": text, "description": orNull(text), "commands": count, "simulation": flag,
    "recording": flag,
  ])
  private static let reading = object([
    "value": ["type": ["string", "integer"]], "word": orNull(text), "unit": orNull(text),
  ])

  private static let deviceFileSchemas: JSONValue = [
    "DeviceFiles": object(["files": list(reference("DeviceFile"))]),
    "DeviceFile": deviceFile,
    "DeviceFileText": ["allOf": [reference("DeviceFile"), object(["text": text])]],
    "Field": field,
    "Reading": reading,
    "VendorDevice": object([
      "file": orNull(text),
      "state": [
        "type": "object", "additionalProperties": ["allOf": [reference("Reading"), object(["time_ms": count])]],
      ], "name": orNull(text), "description": orNull(text), "handshake": orNull(text),
      "commands": list(
        object([
          "name": text, "description": orNull(text), "parameters": list(reference("Field")),
          "results": list(reference("Field")),
        ])),
      "notifications": list(
        object(["name": text, "description": orNull(text), "fields": list(reference("Field"))])),
    ]),
    "CommandAnswer": object([
      "identifier": identifier, "command": text,
      "answer": ["type": "object", "additionalProperties": reference("Reading")],
    ]),
    "Clone": object([
      "name": text, "address": orNull(text), "file": orNull(text), "links": count, "pdus": count, "attributes": count,
      "undiscovered": count, "rules": count, "streams": count, "sequences": count, "exchanges": count,
      "device_pdus": count, "reproduced": count, "share": number, "surplus": count, "notes": list(text),
      "differences": list(object(["pdu": count, "seconds": number, "expected": text, "found": orNull(text)])),
      "text": text,
    ]),
    "ReadClone": object([
      "file": text, "name": text, "characteristics": count, "values": count, "notes": list(text), "text": text,
    ]),
  ]

  // MARK: Parts

  private static let anyObject: JSONValue = ["type": "object"]

  private static func word(_ words: String...) -> JSONValue {
    ["type": "string", "enum": .array(words.map(JSONValue.string))]
  }
}
