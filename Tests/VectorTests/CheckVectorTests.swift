import Foundation
import Testing

@testable import vector_runner

/// Runs the file of cyclic redundancy checks, and shows that its runner notices every change.
@Suite struct CheckVectorTests {
  private func document() throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: try VectorFolder.file("crc.json"))
  }

  @Test("R4.10 every vector of the checks passes")
  func passes() throws {
    let document = try document()
    let outcomes = CheckVectors.play(document)
    let counts = try #require(document["counts"])
    #expect(outcomes.count == counts["crc8_maxim_dow_cases"]?.integer.map { $0 + (counts["family"]?.integer ?? 0) })
    for outcome in outcomes { #expect(outcome.failures.isEmpty, "\(outcome.name): \(outcome.failures)") }
  }

  @Test("R4.10 a check with one octet of its data, result or parameters changed fails")
  func changes() throws {
    let document = try document()
    let maxim = try #require(document["crc8_maxim_dow"])
    var changes = 0
    for entry in try #require(maxim["cases"]?.array) {
      for key in ["data", "crc"] {
        guard let changed = Self.change(entry, key) else { continue }
        expectFailure(["crc8_maxim_dow": Self.set(maxim, "cases", .array([changed]))])
        changes += 1
      }
    }
    for entry in try #require(document["family"]?.array) {
      for key in ["poly", "init", "xorout", "check"] {
        expectFailure(["family": .array([try #require(Self.change(entry, key))])])
        changes += 1
      }
    }
    #expect(changes > 90)
  }

  @Test("R4.10 an unknown test fails")
  func unknown() throws {
    let document = try document()
    let entry = try #require(document["family"]?.array?.first)
    for (key, value) in [("width", JSONValue.number(5)), ("poly", .string("31")), ("refin", .string("yes"))] {
      expectFailure(["family": .array([Self.set(entry, key, value)])])
    }
    #expect(CheckVectors.play(.object([:])).isEmpty)
  }

  private func expectFailure(_ document: [String: JSONValue]) {
    let outcomes = CheckVectors.play(.object(document))
    #expect(outcomes.contains { !$0.failures.isEmpty }, "\(document)")
  }

  /// The last digit of a member is another one; `nil` where it has none.
  private static func change(_ entry: JSONValue, _ key: String) -> JSONValue? {
    guard var text = entry[key]?.string, let last = text.popLast() else { return nil }
    return set(entry, key, .string(text + (last == "0" ? "1" : "0")))
  }

  private static func set(_ entry: JSONValue, _ key: String, _ value: JSONValue) -> JSONValue {
    var members = entry.object ?? [:]
    members[key] = value
    return .object(members)
  }
}
