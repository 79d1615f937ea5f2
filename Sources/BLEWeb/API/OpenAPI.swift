import BLEReports

/// The description of the interface (OpenAPI 3.1), made of the routes.
enum OpenAPI {
  static func document(version: String) -> JSONValue {
    [
      "openapi": "3.1.0",
      "info": ["title": "ble web", "version": .string(version), "description": .string(description)],
      "paths": .object(paths),
      "components": [
        "schemas": ["Error": error],
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
      ],
    ]
  }

  private static let description =
    "What the page of ble web does. Bodies are application/json; members have the names of `ble --json`. Events come by "
    + "GET /api/v1/events as server-sent events."

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
    if !route.body.isEmpty {
      let content: JSONValue = ["application/json": ["schema": schema(route.body)]]
      members.append(.init(key: "requestBody", value: ["required": true, "content": content]))
    }
    members.append(.init(key: "responses", value: responses))
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
    case .text(let longest): ["type": "string", "maxLength": .integer(longest), "description": meaning]
    case .number(let range):
      [
        "type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
        "description": meaning,
      ]
    case .uuid:
      [
        "type": "string", "description": meaning,
        "pattern": "^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
      ]
    case .word(let words): ["type": "string", "enum": .array(words.map(JSONValue.string)), "description": meaning]
    }
  }

  private static var responses: JSONValue {
    let object: JSONValue = ["application/json": ["schema": ["type": "object"]]]
    let problem: JSONValue = ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]]
    return [
      "200": ["description": "Done", "content": object],
      "400": ["description": "The request is not understood", "content": problem],
      "404": ["description": "The device or the attribute was not found", "content": problem],
      "409": ["description": "Bluetooth or the device is not in the state for it", "content": problem],
      "424": ["description": "The device refused, or the link was lost", "content": problem],
    ]
  }

  private static let error: JSONValue = [
    "type": "object",
    "properties": [
      "error": [
        "type": "object", "required": ["kind", "message", "att_error"],
        "properties": [
          "kind": ["type": "string"], "message": ["type": "string"], "att_error": ["type": ["integer", "null"]],
        ],
      ]
    ],
  ]
}
