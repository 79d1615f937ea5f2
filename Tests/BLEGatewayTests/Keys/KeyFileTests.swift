import BLECore
import BLECrypto
import BLEText
import Foundation
import Testing

@testable import BLEGateway

@Suite("Files of keys")
struct KeyFileTests {
  private static let key = "231d39c1d7cc1ab1aee224cd096db932"

  private func sensors(_ text: String) throws(SecretError) -> [UInt64: SecretKey] {
    try GatewayKeyFiles.sensors(
      try KeyFile.parse(text.utf8, "keys.json", most: GatewayKeyFiles.mostSensors), .file("keys.json"))
  }
  private func identities(_ text: String) throws(SecretError) -> [String: SecretKey] {
    try GatewayKeyFiles.identities(
      try KeyFile.parse(text.utf8, "keys.json", most: GatewayKeyFiles.mostIdentities), .file("keys.json"))
  }

  @Test("I17.1 keys are read by addresses with or without colons")
  func reads() throws {
    let key = SecretKey(mostSignificantFirst: try #require([UInt8](hexadecimal: Self.key)))
    let read = try sensors(#"{"54:48:e6:8F:80:A5": "\#(Self.key)", "5448E68F80A6": "\#(Self.key.uppercased())"}"#)
    #expect(read == [0x5448_E68F_80A5: key, 0x5448_E68F_80A6: key])
    #expect(try identities(#"{"phone": "\#(Self.key)"}"#) == ["phone": key])
    #expect(try sensors("{}").isEmpty)
  }

  @Test(
    "I17.1 a mistake in a file of keys has its place, and nothing of what stands there",
    arguments: [
      ("", 1, 1), ("[]", 1, 1), (#"{"5448E68F80A5": "231d39c1d7cc1ab1aee224cd096db93"}"#, 1, 18),
      (#"{"5448E68F80A5": "231d39c1d7cc1ab1aee224cd096db9322"}"#, 1, 18),
      (#"{"5448E68F80A5": 231}"#, 1, 18), (#"{"5448E68F80A5": "00000000000000000000000000000000"}"#, 1, 18),
      ("{\n \"231d39c1d7cc1ab1aee224cd096db932\": \"231d39c1d7cc1ab1aee224cd096db933\"}", 2, 2),
      (#"{"231d39c1d7cc1ab1aee224cd096db932": "5448E68F80A5"}"#, 1, 38),
      (#"{"231d39c1d7cc1ab1aee224cd096db932": 1, "231d39c1d7cc1ab1aee224cd096db932": 2}"#, 1, 41),
      (
        #"{"5448E68F80A5": "231d39c1d7cc1ab1aee224cd096db932", "54:48:E6:8F:80:A5": "231d39c1d7cc1ab1aee224cd096db932"}"#,
        1, 54
      ), (#"{"5448E68F80A5": "231d39c1d7cc1ab1aee224cd096db932" 5}"#, 1, 53),
      (#"{"5448E68F80A5": 231d}"#, 1, 21),
    ])
  func mistakes(text: String, line: Int, column: Int) {
    do throws(SecretError) {
      _ = try sensors(text)
      Issue.record("it was read")
    } catch {
      #expect(error.reason.hasPrefix("keys.json:\(line):\(column): "), "\(error.reason)")
      #expect(!error.reason.contains("231") && !error.reason.contains("A5\": "), "\(error.reason)")
    }
  }

  @Test("I17.1 an identity key has a name that can stand in topics, and one name only")
  func identityMistakes() {
    let key = Self.key
    for text in [#"{"a/b": "\#(key)"}"#, #"{"": "\#(key)"}"#, #"{"a": "\#(key)", "b": "\#(key)"}"#] {
      #expect(throws: SecretError.self) { _ = try identities(text) }
    }
  }

  @Test("I17.1 more keys than are allowed are refused, and so is a file that is too long")
  func limits() throws {
    let most = GatewayKeyFiles.mostIdentities
    func file(_ count: Int) -> String {
      let members = (1...count).map { number in
        let digits = String(number, radix: 16)
        return "\"d\(number)\": \"\(String(repeating: "0", count: 32 - digits.count))\(digits)\""
      }
      return "{\(members.joined(separator: ", "))}"
    }
    #expect(try identities(file(most)).count == most)
    #expect(throws: SecretError.self) { _ = try identities(file(most + 1)) }
    let folder = try TemporaryFolder()
    let path = folder.path("keys.json")
    try (#"{"a": "\#(Self.key)"}"# + String(repeating: " ", count: KeyFile.longest)).privately(to: path)
    #expect(throws: SecretError.self) { _ = try KeyFile.read(.file(path), most: most) }
  }

  @Test("I17.1 a file of keys that others can open is refused, and a credential is read from its folder")
  func rights() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys.json")
    let text = #"{"a": "\#(Self.key)"}"#
    try text.privately(to: path)
    #expect(try KeyFile.read(.file(path), most: 1).map(\.name) == ["a"])
    #expect(
      try SecretSource.credential("keys.json").contents(
        limit: 100, environment: ["CREDENTIALS_DIRECTORY": folder.url.path]
      ).octets == Array(text.utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: SecretError.self) { _ = try KeyFile.read(.file(path), most: 1) }
    #expect(throws: SecretError.self) { _ = try KeyFile.read(.file(folder.path("none")), most: 1) }
  }

  @Test("I17.1 keys in the configuration itself are refused without being repeated")
  func inConfiguration() {
    for value in [#"{"5448E68F80A5": "\#(Self.key)"}"#, #""\#(Self.key)""#, #"{"\#(Self.key)": 1, "file": "k"}"#] {
      let text = """
        {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "h"}, "listen": [{}], "sensor_keys": \(value)}
        """
      do throws(FileMistakes) {
        _ = try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble")
        Issue.record("it was read")
      } catch {
        let lines = error.lines(in: "attic.json")
        #expect(lines.count == 1 && lines[0].contains("mode 0600") && !lines[0].contains("231d"), "\(lines)")
      }
    }
  }
}

extension String {
  /// Writes a file that other users cannot open.
  func privately(to path: String) throws {
    try write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }
}
