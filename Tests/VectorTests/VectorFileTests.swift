import Foundation
import Testing

@testable import vector_runner

/// The folders of vector files.
enum VectorFolder {
  /// The repository's own.
  static let path =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Vectors"
  /// The folder in `BLE_VECTORS`: further files, among them those of the Attribute Protocol, which the repository does not have.
  static let further = ProcessInfo.processInfo.environment["BLE_VECTORS"]

  static func file(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)) }
}

/// Runs the files whose format the runner knows.
@Suite struct VectorFileTests {
  @Test("every vector of advertising data passes")
  func everyVectorOfAdvertisingDataPasses() throws {
    let outcomes = try #require(VectorRunner.play(try VectorFolder.file("advertising-data.json")))
    #expect(!outcomes.isEmpty)
    for outcome in outcomes { #expect(outcome.failures.isEmpty, "\(outcome.name)") }
  }

  @Test("a vector of advertising data with one octet of an expectation changed fails")
  func aVectorOfAdvertisingDataWithOneOctet() throws {
    let text = String(decoding: try VectorFolder.file("advertising-data.json"), as: UTF8.self)
    for (original, changed) in [
      ("\"data\": \"1618\"", "\"data\": \"1718\""), ("\"tx_power\": 123", "\"tx_power\": 122"),
      ("\"local_name\": \"Wahoo BlueSC v1.4\"", "\"local_name\": \"Wahoo BlueSC v1.5\""),
      ("\"company\": \"0x004C\"", "\"company\": \"0x004D\""), ("\"terminated_at\": 3", "\"terminated_at\": 4"),
    ] {
      try #require(text.contains(original))
      let outcomes = try #require(VectorRunner.play(Data(text.replacing(original, with: changed).utf8)))
      #expect(outcomes.contains { !$0.failures.isEmpty }, "\(changed)")
    }
  }
}

@Suite(.enabled(if: VectorFolder.further != nil, "skipped: BLE_VECTORS names no folder with att.json"))
struct AttributeVectorTests {
  private func file() throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: try #require(VectorFolder.further) + "/att.json"))
  }

  @Test("every vector of the Attribute Protocol passes")
  func everyVectorOfTheAttributeProtocolPasses() throws {
    let outcomes = try #require(VectorRunner.play(try file()))
    #expect(outcomes.count >= 53)
    for outcome in outcomes { #expect(outcome.failures.isEmpty, "\(outcome.name)") }
  }

  @Test("a vector of the Attribute Protocol with one octet of an expectation changed fails")
  func aVectorOfTheAttributeProtocolWithOneOctet() throws {
    let text = String(decoding: try file(), as: UTF8.self)
    for (original, changed) in [
      // A server's answer, a client's request, an error, a value, a list, a hash.
      ("1106010004000118050008000d18", "1106010004000118050008000c18"),
      ("080100ffff0d2a", "080100ffff0e2a"), ("\"att_error\": 12", "\"att_error\": 13"),
      ("\"received_value\": \"010203\"", "\"received_value\": \"010204\""),
      ("\"end\": \"0x001F\"", "\"end\": \"0x001E\""),
      ("3f7c496afc83ba808f95b2c5d544e0f2", "3f7c496afc83ba808f95b2c5d544e0f3"),
    ] {
      try #require(text.contains(original), "\(original)")
      let outcomes = try #require(VectorRunner.play(Data(text.replacing(original, with: changed).utf8)))
      #expect(outcomes.contains { !$0.failures.isEmpty }, "\(changed)")
    }
  }
}

@Suite struct VectorRunnerTests {
  @Test("unknown attribute tests fail, and a file with databases alone does not pass")
  func unknownAttributeTestsFail() throws {
    let head = #"{"format": "att-vectors/1", "databases": {"d": {"services": [], "attributes": []}}, "#
    let server = #""name": "t", "database": "d", "portability": "spec", "mtu": {"server_rx_mtu": 23}"#
    let client = #""name": "t", "args": {}, "portability": "spec", "pdus": [], "expected": {}"#
    for tests in [
      #""server_tests": [{"# + server + #"}]"#,
      #""server_tests": [{"# + server + #", "pdus": [{"dir": "sideways", "hex": ""}]}]"#,
      #""server_tests": [{"# + server + #", "pdus": [{"dir": "local", "action": "dance"}]}]"#,
      #""server_tests": [{"# + server + #", "pdus": [{"dir": "to_server", "hex": "0"}]}]"#,
      #""server_tests": [{"name": "t", "database": "e", "portability": "spec", "pdus": []}]"#,
      #""client_tests": [{"# + client + "}]", #""client_tests": [{"# + client + #", "procedure": "guess"}]"#,
    ] {
      let outcomes = try #require(VectorRunner.play(Data((head + tests + "}").utf8)))
      #expect(outcomes.count == 1 && outcomes.allSatisfy { !$0.failures.isEmpty }, "\(tests)")
    }
    let empty = try #require(VectorRunner.play(Data((head + #""server_tests": [], "client_tests": []}"#).utf8)))
    #expect(empty.isEmpty)
  }

  @Test("a file without a test, of another format or missing does not pass")
  func aFileWithoutATest() throws {
    let folder = FileManager.default.temporaryDirectory.path
    let path = "\(folder)/vectors-\(ProcessInfo.processInfo.processIdentifier).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(#"{"format": "ad-vectors/1", "vectors": []}"#.utf8).write(to: URL(fileURLWithPath: path))
    #expect(VectorRunner.run(path: path) == 1)
    try Data(#"{"format": "ad-vectors/2", "vectors": []}"#.utf8).write(to: URL(fileURLWithPath: path))
    #expect(VectorRunner.run(path: path) == 65)
    try Data("not JSON".utf8).write(to: URL(fileURLWithPath: path))
    #expect(VectorRunner.run(path: path) == 65)
    #expect(VectorRunner.run(path: path + ".not-there") == 66)
  }

  @Test("an unknown test fails")
  func anUnknownTestFails() throws {
    for vector in [
      #"{"hex": "020106", "structure": {"fields": []}, "expected": {}, "portability": "spec"}"#,
      #"{"hex": "0201", "structure": {"fields": []}, "expected": {"taste": 1}, "portability": "spec"}"#,
      #"{"hex": "zz", "structure": {"fields": []}, "expected": {}, "portability": "spec"}"#,
      #"{"hex": "", "structure": {"fields": []}, "expected": {}, "portability": "perhaps"}"#,
      #"{"hex": "", "expected": {}, "portability": "spec"}"#, "{}", "3",
    ] {
      let file = #"{"format": "ad-vectors/1", "vectors": ["# + vector + "]}"
      let outcomes = try #require(VectorRunner.play(Data(file.utf8)))
      #expect(outcomes.count == 1 && outcomes.allSatisfy { !$0.failures.isEmpty }, "\(vector)")
    }
  }
}
