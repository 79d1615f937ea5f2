import BLEReports
import Testing

@testable import BLEWeb

@Suite("The description of what the interface answers")
struct AnswerSchemaTests {
  /// The names of schemas that a description refers to.
  private static func references(in json: JSONValue) -> [String] {
    switch json {
    case .object(let members):
      members.flatMap { member -> [String] in
        if member.key == "$ref", case .string(let name) = member.value {
          return [String(name.split(separator: "/").last ?? "")]
        }
        return references(in: member.value)
      }
    case .array(let parts): parts.flatMap(references)
    default: []
    }
  }

  @Test("I15.1 the answer of every route has a schema of its own, and no schema is missing, twice, or for nothing")
  func complete() throws {
    for route in API.routes {
      let answer = OpenAPI.answer(of: route)
      #expect(!Self.references(in: answer).isEmpty, "\(route.method.rawValue) \(route.path) answers just an object")
    }
    let document = OpenAPI.document(version: "0")
    guard case .object(let schemas) = JSONValue.combined(OpenAPI.schemas, OpenAPI.furtherSchemas) else {
      throw APIError(.failed, "the schemas are no object")
    }
    let names = schemas.map(\.key)
    #expect(Set(names).count == names.count)
    #expect(Set(Self.references(in: document)) == Set(names))
  }

  @Test("I15.1 no answer is described that no route gives")
  func current() {
    let routes = Set(API.routes.map { "\($0.method.rawValue) \($0.path)" })
    #expect(Set(OpenAPI.furtherAnswers.keys).subtracting(routes) == [])
  }
}
