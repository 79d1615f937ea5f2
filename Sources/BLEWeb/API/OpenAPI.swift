import BLEReports

/// The description of the interface (OpenAPI 3.1), made of the routes.
enum OpenAPI {
  static func document(version: String) -> JSONValue {
    [
      "openapi": "3.1.0",
      "info": ["title": "ble web", "version": .string(version), "description": .string(description)],
      "paths": .object(paths),
      "components": [
        "schemas": .combined(schemas, furtherSchemas),
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
      ],
    ]
  }

  private static let description =
    "What the page of ble web does. Bodies are application/json; members have the names of `ble --json`. A request that "
    + "changes something has this Content-Type, also where it has no body. Answers of 400 and more are JSON where the "
    + "interface refuses, and text where the server refuses before."

  private static var paths: [JSONValue.Member] {
    var found: [(path: String, operations: [JSONValue.Member])] = []
    for route in API.routes {
      let operation = JSONValue.Member(key: route.method.rawValue.lowercased(), value: operation(route))
      if let index = found.firstIndex(where: { $0.path == route.path }) {
        found[index].operations.append(operation)
      } else {
        found.append((route.path, [operation]))
      }
    }
    found.append((Events.path, [Events.operation]))
    return found.map { JSONValue.Member(key: $0.path, value: .object($0.operations)) }
  }

  private static func operation(_ route: Route) -> JSONValue {
    let parameters = route.segments.filter { $0.hasPrefix("{") }.map { segment -> JSONValue in
      [
        "name": .string(String(segment.dropFirst().dropLast())), "in": "path", "required": true,
        "schema": schema(ofSegment: segment),
      ]
    }
    var members: [JSONValue.Member] = [
      .init(key: "summary", value: .string(route.summary)), .init(key: "parameters", value: .array(parameters)),
    ]
    if route.method != .get {
      let content: JSONValue = ["application/json": ["schema": schema(route.body)]]
      let isRequired = route.body.contains(where: \.isRequired)
      members.append(.init(key: "requestBody", value: ["required": .bool(isRequired), "content": content]))
    }
    members.append(.init(key: "responses", value: responses(to: route)))
    return .object(members)
  }

  private static func schema(ofSegment segment: Substring) -> JSONValue {
    switch segment {
    case "{identifier}": ["type": "string", "format": "uuid"]
    case "{number}": ["type": "integer", "minimum": .integer(1)]
    default: ["type": "string", "minLength": .integer(1)]
    }
  }

  private static func schema(_ body: [BodyMember]) -> JSONValue {
    [
      "type": "object", "additionalProperties": false,
      "required": .array(body.filter(\.isRequired).map { .string($0.name) }),
      "properties": .object(body.map { JSONValue.Member(key: $0.name, value: schema($0)) }),
    ]
  }

  private static func schema(_ member: BodyMember) -> JSONValue {
    let meaning = JSONValue.string(member.meaning)
    return switch member.kind {
    case .flag: ["type": "boolean", "description": meaning]
    // The limit is one of octets, of which a character has one at least.
    case .text(let longest): ["type": "string", "maxLength": .integer(longest), "description": meaning]
    case .number(let range):
      [
        "type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
        "description": meaning,
      ]
    case .integer(let range):
      [
        "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        "description": meaning,
      ]
    case .uuid:
      [
        "type": "string", "description": meaning,
        "pattern": "^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
      ]
    case .values(let most, let longest):
      [
        "type": "object", "maxProperties": .integer(most), "description": meaning,
        "additionalProperties": [
          "oneOf": [["type": "string", "maxLength": .integer(longest)], ["type": "number"]]
        ],
      ]
    case .word(let words): ["type": "string", "enum": .array(words.map(JSONValue.string)), "description": meaning]
    }
  }

  private static func responses(to route: Route) -> JSONValue {
    var found: JSONValue = [
      "200": ["description": "Done", "content": json(answer(of: route))],
      "400": ["description": "The request is not understood", "content": either],
      "404": ["description": "The device or the attribute was not found", "content": json(reference("Error"))],
      "409": [
        "description": "Bluetooth or the device is not in the state for it", "content": json(reference("Error")),
      ],
      "424": ["description": "The device refused, or the link was lost", "content": json(reference("Error"))],
    ]
    if route.method != .get {
      found = .combined(
        found,
        [
          "413": refusal("The body is too large"), "415": refusal("Content-Type is not application/json"),
        ])
    }
    return .combined(found, refusals)
  }

  /// What the server answers before a request reaches the interface.
  private static let refusals: JSONValue = [
    "401": refusal("A token is needed, or another one"),
    "403": refusal("The request is one of another site, or this server is read-only"),
    "405": refusal("This path has other methods; Allow names them"),
    "421": refusal("Host is not a name of this server"), "429": later("Too many requests that change something"),
    "503": later("Too many requests wait for devices, or the server is being stopped"),
  ]

  private static func json(_ schema: JSONValue) -> JSONValue { ["application/json": ["schema": schema]] }

  private static let plainText: JSONValue = ["text/plain": ["schema": ["type": "string"]]]
  private static let either: JSONValue = .combined(json(reference("Error")), plainText)

  private static func refusal(_ description: String) -> JSONValue {
    ["description": .string(description), "content": plainText]
  }

  /// With the seconds after which the client may ask again.
  private static func later(_ description: String) -> JSONValue {
    let header: JSONValue = ["required": true, "schema": ["type": "integer", "minimum": .integer(1)]]
    return .combined(refusal(description), ["headers": ["Retry-After": header]])
  }

  /// The stream of events, which is not one of the routes: its answer has no end.
  private enum Events {
    static let path = "/api/v1/events"

    static let operation = JSONValue.Member(
      key: "get",
      value: [
        "summary":
          "What happens, as server-sent events; those after the one whose number is given, where they are kept",
        "parameters": [number("after", in: "query"), number("Last-Event-ID", in: "header")],
        "responses": .combined(
          [
            "200": [
              "description": "Events until the client leaves",
              "content": ["text/event-stream": ["schema": ["type": "string"]]],
            ]
          ], refusals),
      ])

    private static func number(_ name: String, in place: String) -> JSONValue {
      [
        "name": .string(name), "in": .string(place), "required": false,
        "schema": ["type": "integer", "minimum": .integer(0)],
      ]
    }
  }
}
