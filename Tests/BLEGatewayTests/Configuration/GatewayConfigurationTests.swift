import BLESession
import BLEText
import CoreBluetooth
import Foundation
import Testing

@testable import BLEGateway

@Suite("Configuration of a gateway")
struct GatewayConfigurationTests {
  private func read(_ text: String) throws(FileMistakes) -> GatewayConfiguration {
    try GatewayConfigurationReader.read(octets: text.utf8, folder: "/etc/ble")
  }

  private func mistakes(_ text: String) -> [String] {
    do throws(FileMistakes) {
      _ = try read(text)
      return []
    } catch {
      return error.lines(in: "attic.json")
    }
  }

  @Test("I17.1 what the file leaves out has defaults, and paths begin at its folder")
  func defaults() throws {
    let configuration = try read(
      """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "broker.example", "tls": {"ca": "ca.pem"}},
       "devices": [{"name": "scale", "match": {"name_prefix": "Scale"}, "commands": {"write": ["180F/2A19"]}}],
       "listen": [{"every": 30}]}
      """)
    #expect(configuration.broker.port == 8_883 && configuration.broker.security?.authorities == "/etc/ble/ca.pem")
    #expect(configuration.outbox == "/etc/ble/attic.outbox" && configuration.prefix == "ble")
    let device = try #require(configuration.devices.first)
    #expect(device.values == .everything && device.rule == .all([.namePrefix("Scale")]))
    #expect(device.commands?.topic == "ble/attic/device/scale/command")
    #expect(device.commands?.writes == [CharacteristicPath("2A19", in: "180F")])
    #expect(configuration.listening.first?.interval == .seconds(30))
  }

  @Test("I17.4 a service writes into the folder that systemd gives it, and reads beside its configuration")
  func stateFolder() throws {
    let text = """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "h", "tls": {"ca": "ca.pem"}},
       "collect": {"file": "house.sqlite"}}
      """
    let configuration = try GatewayConfigurationReader.read(
      octets: text.utf8, folder: "/etc/ble", stateFolder: "/var/lib/ble-gateway")
    #expect(configuration.outbox == "/var/lib/ble-gateway/attic.outbox")
    #expect(configuration.collection == "/var/lib/ble-gateway/house.sqlite")
    #expect(configuration.broker.security?.authorities == "/etc/ble/ca.pem")
  }

  @Test("I17.4 the example that the package installs has no mistakes")
  func example() throws {
    let root = "/" + URL(fileURLWithPath: #filePath).pathComponents.dropFirst().dropLast(4).joined(separator: "/")
    let octets = try Data(contentsOf: URL(fileURLWithPath: root + "/Packaging/examples/gateway-attic.json"))
    let configuration = try GatewayConfigurationReader.read(octets: octets, folder: "/etc/ble")
    #expect(configuration.broker.password == .credential("password") && configuration.broker.port == 8_883)
  }

  @Test("I17.1 all mistakes of a file are reported at once, each with its place")
  func allMistakes() {
    let found = mistakes(
      """
      {"format": "ble-gateway/2", "gateway": "the attic",
       "broker": {"host": "/run/socket", "port": 70000, "certificate": "x"},
       "devices": [{"name": "a/b"}, {"name": "c", "match": {}}, {"name": "d", "identifier": "5"}],
       "listen": [{"on_change": false}], "outbox": {"when_full": "forget"}, "colour": "red"}
      """)
    let beginnings = found.map { String($0.prefix { $0 != " " }) }
    #expect(
      beginnings == [
        "attic.json:1:12:", "attic.json:1:40:", "attic.json:2:21:", "attic.json:2:44:", "attic.json:2:51:",
        "attic.json:3:23:", "attic.json:3:54:", "attic.json:3:87:", "attic.json:4:13:", "attic.json:4:60:",
        "attic.json:4:71:",
      ], "\(found.joined(separator: "\n"))")
  }

  @Test("I17.4 a password in the file is refused without being repeated")
  func inlinePassword() throws {
    let found = mistakes(
      """
      {"format": "ble-gateway/1", "gateway": "attic", "listen": [{}],
       "broker": {"host": "127.0.0.1", "user": "attic", "password": "correct horse"}}
      """)
    let line = try #require(found.first)
    #expect(found.count == 1 && line.contains("password_file") && !line.contains("horse"))
  }

  @Test("I17.4 a password is read from a file of mode 0600 or a credential, and from no other")
  func passwordFile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("password").path
    _ = FileManager.default.createFile(
      atPath: file, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o644])
    #expect(throws: SecretError.self) { try SecretSource.file(file).read() }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(try SecretSource.file(file).read() == "correct horse")
    #expect(
      try SecretSource.credential("password").read(environment: ["CREDENTIALS_DIRECTORY": folder.path])
        == "correct horse")
    #expect(throws: SecretError.self) { try SecretSource.credential("password").read(environment: [:]) }
  }

  @Test("I17.4 a command that the device file does not have, and a second device with a name or topic, are mistakes")
  func commandsAreChecked() {
    let found = mistakes(
      """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"},
       "devices": [
         {"name": "a", "match": {"names": ["A"]}, "commands": {"names": ["unlock"]}}]}
      """)
    #expect(found.count == 1 && found[0].contains("there is no device file"), "\(found)")
    let doubles = mistakes(
      """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"},
       "devices": [
         {"name": "a", "match": {"names": ["A"]}, "commands": {"topic": "x/y"}},
         {"name": "b", "match": {"names": ["B"]}, "commands": {"topic": "x/y"}},
         {"name": "a", "match": {"names": ["C"]}, "commands": {"topic": "x/#"}}]}
      """)
    #expect(doubles.count == 1 && doubles[0].contains("without wildcards"), "\(doubles)")
  }

  @Test("I17.1 no beginning of a file, and no octet put into one, stops the reader")
  func hostileFiles() {
    let text = Array(
      """
      {"format": "ble-gateway/1", "gateway": "attic", "broker": {"host": "127.0.0.1"},
       "devices": [{"name": "a", "match": {"names": ["A"]}, "commands": {"write": ["FFF0/FFF1"]}}]}
      """.utf8)
    for end in text.indices { _ = try? GatewayConfigurationReader.read(octets: text[..<end], folder: "/") }
    for place in text.indices {
      for octet: UInt8 in [0, 0x22, 0x5C, 0x7B, 0xFF] {
        var broken = text
        broken[place] = octet
        _ = try? GatewayConfigurationReader.read(octets: broken, folder: "/")
      }
    }
  }
}
