import BLECore
import BLECrypto
import Foundation
import Testing

/// The sample data of the specification and of other stacks: `Tests/Vectors/smp.json`.
enum SampleData {
  static var document: [String: Any]? {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    guard let data = FileManager.default.contents(atPath: tests.path + "/Vectors/smp.json") else { return nil }
    return try? JSONSerialization.jsonObject(with: data) as? [String: Any]
  }

  static func section<Section>(_ name: String, as type: Section.Type = Section.self) throws -> Section {
    try #require(document?[name] as? Section)
  }

  static func functions(_ name: String) throws -> [Sample] {
    let all = try section("functions", as: [[String: Any]].self)
    let samples = all.filter { ($0["function"] as? String)?.split(separator: " ").first.map(String.init) == name }
    try #require(!samples.isEmpty)
    return try samples.map {
      Sample(inputs: try #require($0["inputs"] as? [String: Any]), output: try #require($0["output"]))
    }
  }
}

/// One call: inputs and expected outputs.
struct Sample {
  let inputs: [String: Any]
  let output: Any

  func octets(_ name: String) throws -> [UInt8] { try Self.octets(inputs[name]) }
  func block(_ name: String) throws -> AESBlock {
    let octets = try octets(name)
    return try #require(AESBlock(mostSignificantFirst: octets))
  }
  func key(_ name: String) throws -> SecretKey { SecretKey(mostSignificantFirst: try octets(name)) }
  func number(_ name: String) throws -> UInt32 { try octets(name).reduce(0) { $0 << 8 | UInt32($1) } }

  /// An address whose kind is in a preceding octet, or in a field of its own.
  func address(_ name: String, kindIn kindName: String? = nil) throws -> DeviceAddress {
    let octets = try octets(name)
    let code = try kindName.map { try #require(inputs[$0] as? Int) } ?? Int(octets[0])
    let kind = try #require(DeviceAddress.Kind(rawValue: UInt8(code)))
    return DeviceAddress(octets: octets.suffix(6).reversed(), kind: kind)
  }

  func output(_ name: String? = nil) throws -> [UInt8] {
    guard let name else { return try Self.octets(output) }
    let outputs = try #require(output as? [String: Any])
    return try Self.octets(outputs[name])
  }

  static func octets(_ value: Any?) throws -> [UInt8] {
    let text = try #require(value as? String)
    return try #require([UInt8](hexadecimal: text))
  }
}
