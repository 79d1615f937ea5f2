import Foundation
import Testing

@testable import vector_runner

/// Runs the file of the Security Manager, and shows that its runner notices every change.
@Suite struct SecurityManagerVectorTests {
  private func document() throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: try VectorFolder.file("smp.json"))
  }

  @Test("every vector of the Security Manager passes")
  func everyVectorOfTheSecurityManagerPasses() throws {
    let outcomes = try #require(VectorRunner.play(try VectorFolder.file("smp.json")))
    #expect(outcomes.count == 90)
    for outcome in outcomes { #expect(outcome.failures.isEmpty, "\(outcome.name)") }
  }

  @Test("a transcript with one octet of any command, key or number changed fails")
  func aTranscriptWithOneOctetOfAnyCommand() throws {
    var count = 0
    for transcript in try #require(try document()["pairing_transcripts"]?.array)
    where transcript["portability"]?.string == "spec" {
      let commands = try #require(transcript["pdus"]?.array)
      for (index, command) in commands.enumerated() {
        guard let changed = Self.changed(command) else { continue }
        var copy = commands
        copy[index] = changed
        expectFailure(transcript.setting("pdus", .array(copy)), in: "pairing_transcripts")
        count += 1
      }
      for (name, value) in try #require(transcript["derived"]?.object) {
        let derived = try #require(transcript["derived"]).setting(name, try #require(value.flipped))
        expectFailure(transcript.setting("derived", derived), in: "pairing_transcripts")
      }
      let input = try #require(transcript["user_input"])
      for name in ["passkey", "displayed_number", "oob_tk_msb_first"] {
        guard let value = input[name]?.flipped else { continue }
        expectFailure(transcript.setting("user_input", input.setting(name, value)), in: "pairing_transcripts")
      }
      let expected = try #require(transcript["expected"])
      let authenticated = try #require(expected["authenticated"])
      expectFailure(
        transcript.setting("expected", expected.setting("authenticated", try #require(authenticated.negated))),
        in: "pairing_transcripts")
    }
    #expect(count > 600)
  }

  /// Changes inputs and results of computations. Distributed keys are random, and nothing follows from them.
  private static func changed(_ command: JSONValue) -> JSONValue? {
    if let key = command["key_msb_first"]?.flipped { return command.setting("key_msb_first", key) }
    guard let text = command["hex"]?.string, let code = text.prefix(2).last else { return nil }
    switch code {
    // Features: one bit of AuthReq.
    case "1", "2":
      var octets = Array(text)
      octets[6] = octets[6] == "0" ? "1" : "0"
      return command.setting("hex", .string(String(octets)))
    case "3", "4", "c", "d": return command["hex"]?.flipped.map { command.setting("hex", $0) }
    default: return nil
    }
  }

  @Test("a function, signature, point, address or packet with one octet changed fails")
  func aFunctionSignaturePoint() throws {
    let document = try document()
    for function in try #require(document["functions"]?.array) {
      let output = try #require(function["output"])
      if let flipped = output.flipped { expectFailure(function.setting("output", flipped), in: "functions") }
      for (name, value) in output.object ?? [:] {
        expectFailure(function.setting("output", output.setting(name, try #require(value.flipped))), in: "functions")
      }
    }
    let signed = try #require(document["signed_write"])
    for test in try #require(signed["signatures"]?.array) {
      expectFailure(test.setting("signature", try #require(test["signature"]?.flipped)), "signed_write", "signatures")
    }
    for test in try #require(signed["verifications"]?.array) {
      expectFailure(test.setting("valid", try #require(test["valid"]?.negated)), "signed_write", "verifications")
    }
    let curve = try #require(document["p256"])
    let pairs = try #require(curve["key_pairs"]?.array)
    for test in pairs {
      expectFailure(test.setting("public_x", try #require(test["public_x"]?.flipped)), "p256", "key_pairs")
      // A valid point is not one that must be refused.
      expectFailure(test, "p256", "invalid_public_keys")
    }
    for test in try #require(curve["shared_secrets"]?.array) {
      let changed = test.setting("dhkey", try #require(test["dhkey"]?.flipped))
      let points = JSONValue.object(["key_pairs": .array(pairs), "shared_secrets": .array([changed])])
      #expect(failures(.object(["p256": points])) == 1)
    }
    for test in try #require(document["rpa_resolution"]?.array) {
      expectFailure(test.setting("resolves", try #require(test["resolves"]?.negated)), in: "rpa_resolution")
    }
    let encryption = try #require(document["ll_encryption"])
    for test in try #require(encryption["packets"]?.array) {
      for name in ["encrypted_pdu", "nonce", "clear_pdu"] {
        let changed = test.setting(name, try #require(test[name]?.flipped))
        #expect(failures(.object(["ll_encryption": encryption.setting("packets", .array([changed]))])) == 1)
      }
    }
  }

  @Test("a failure whose refusal is changed fails, where the specification leaves no choice")
  func aFailureWhoseRefusalIsChangedFails() throws {
    for test in try #require(try document()["pairing_failures"]?.array) where test["portability"]?.string == "spec" {
      var commands = try #require(test["pdus"]?.array)
      let last = try #require(commands.last)
      commands[commands.count - 1] = last.setting("hex", try #require(last["hex"]?.flipped))
      expectFailure(test.setting("pdus", .array(commands)), in: "pairing_failures")
    }
  }

  @Test("each of the 21 transcripts and 7 failures fails with one octet changed, also where stacks may choose")
  func eachOfThe21TranscriptsAnd7FailuresFails()
    throws
  {
    let document = try document()
    var counts: [Int] = []
    for section in ["pairing_transcripts", "pairing_failures"] {
      let tests = try #require(document[section]?.array)
      counts.append(tests.count)
      for test in tests {
        let isNoticed = try changes(of: test).contains { failures(.object([section: .array([$0])])) == 1 }
        #expect(isNoticed, "\(section): \(test["name"]?.string ?? "")")
      }
    }
    #expect(counts == [21, 7])
  }

  /// The test with one octet changed: the first or the last of a command, the last command first.
  private func changes(of test: JSONValue) throws -> [JSONValue] {
    let commands = try #require(test["pdus"]?.array)
    return commands.indices.reversed().flatMap { index in
      guard let text = commands[index]["hex"]?.string else { return [JSONValue]() }
      let first = "0" + String((text.dropFirst().first?.hexDigitValue ?? 0) ^ 1, radix: 16) + text.dropFirst(2)
      return [.string(first), commands[index]["hex"]?.flipped].compactMap { changed in
        guard let changed else { return nil }
        var copy = commands
        copy[index] = copy[index].setting("hex", changed)
        return test.setting("pdus", .array(copy))
      }
    }
  }

  @Test("unknown tests fail, and an empty file does not pass")
  func unknownTestsFailAndAnEmptyFileDoesNotPass() throws {
    let empty = try #require(VectorRunner.play(Data(#"{"format": "smp-vectors/1"}"#.utf8)))
    #expect(empty.isEmpty)
    for section in ["functions", "rpa_resolution", "pairing_transcripts", "pairing_failures"] {
      for test in [JSONValue.object([:]), .number(3), .object(["function": .string("rot13")])] {
        expectFailure(test, in: section)
      }
    }
    for transcript in try #require(try document()["pairing_transcripts"]?.array) {
      for (name, value) in [
        ("portability", "perhaps"), ("dut_role", "observer"), ("association", "hope"), ("method", "telepathy"),
      ] {
        expectFailure(transcript.setting(name, .string(value)), in: "pairing_transcripts")
      }
      expectFailure(
        transcript.setting("user_input", .object(["action": .string("dance")])), in: "pairing_transcripts")
    }
  }

  private func expectFailure(_ test: JSONValue, in section: String) {
    #expect(failures(.object([section: .array([test])])) == 1, "\(section): \(test["name"]?.string ?? "")")
  }

  private func expectFailure(_ test: JSONValue, _ outer: String, _ section: String) {
    let failing = failures(.object([outer: .object([section: .array([test])])]))
    #expect(failing == 1, "\(section): \(test["name"]?.string ?? "")")
  }

  private func failures(_ document: JSONValue) -> Int {
    SecurityManagerVectors.play(document).filter { !$0.failures.isEmpty }.count
  }
}

extension JSONValue {
  fileprivate func setting(_ key: String, _ value: JSONValue) -> JSONValue {
    var entries = object ?? [:]
    entries[key] = value
    return .object(entries)
  }

  /// Text whose last digit is another.
  fileprivate var flipped: JSONValue? {
    guard var text = string, let last = text.popLast() else { return nil }
    return .string(text + (last == "0" ? "1" : "0"))
  }

  fileprivate var negated: JSONValue? { boolean.map { .boolean(!$0) } }
}
