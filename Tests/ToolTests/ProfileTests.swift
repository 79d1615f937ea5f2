import BLECore
import BLEHost
import BLEPairing
import BLEProfileFiles
import CoreBluetooth
import Foundation
import Testing

@testable import ble

@Suite("Profiles")
struct ProfileTests {
  /// A profile with one characteristic, whose members are `text`.
  private func profile(characteristic text: String) -> String {
    "{\"services\": [{\"uuid\": \"FFF0\", \"characteristics\": [\n{\"uuid\": \"FFF1\", \(text)}]}]}"
  }

  private func characteristic(_ text: String) throws -> Profile.Characteristic {
    try #require(try ProfileReader.read(profile(characteristic: text)).services.first?.characteristics.first)
  }

  @Test("The examples are valid profiles", arguments: ["thermometer.json", "echo.json", "lock.json"])
  func theExamplesAreValidProfiles(name: String) throws {
    let path = Neighbourhood.example("profiles/\(name)")
    guard case .profile(let profile) = try ProfileSource.file(path).load() else { throw ToolError(.badData, path) }
    #expect(profile.name != nil && !profile.advertisedServices.isEmpty)
  }

  private func firstMistake(_ text: String) throws -> PositionedError {
    let mistakes = try #require(throws: FileMistakes.self) { _ = try ProfileReader.read(text) }
    return try #require(mistakes.all.first)
  }

  @Test("I15.7 all mistakes of a profile are reported at once, each with its place")
  func allMistakesOfAProfileAreReportedAtOnce() throws {
    let text = """
      {
        "name": 5,
        "advertise": ["18000", "180F", "xx"],
        "security": {"io": "display", "passkey": 12345},
        "services": [
          {"uuid": "1800", "primary": 1, "characteristics": []},
          {"characteristics": [
            {"uuid": "FFF1", "properties": ["notfy", "raed"], "on_write": "echo"},
            {"uuid": "FFF2", "properties": ["read"], "notify": {"every": 0}, "descriptors": [{}]},
            {"uuid": "FFF3", "properties": ["notify"], "notify": {"every": 0, "values": [{}, {"hex": "0"}]}},
            {}
          ], "colour": "red"}
        ]
      }
      """
    let mistakes = try #require(throws: FileMistakes.self) { _ = try ProfileReader.read(text) }.all
    let expected = [
      (2, "expected a string"), (3, "invalid UUID '18000'"), (3, "invalid UUID 'xx'"), (4, "is not what can be shown"),
      (4, "six digits"), (6, "belongs to the stack"), (6, "expected true or false"), (7, "a service needs \"uuid\""),
      (8, "'notfy' is not a property"), (8, "'raed' is not a property"), (9, "\"notify\" needs the property notify"),
      (9, "a descriptor needs \"uuid\" and \"value\""), (10, "0.01 to 86400 seconds"), (10, "expected a value such as"),
      (10, "pairs of hexadecimal digits"), (11, "a characteristic needs \"uuid\" and \"properties\""),
      (12, "a service has no \"colour\""),
    ]
    let found = mistakes.map { "\($0.position.line): \($0.message)" }
    #expect(mistakes.count == expected.count, "\(found)")
    for (mistake, (line, message)) in zip(mistakes, expected) {
      #expect(mistake.position.line == line && mistake.message.contains(message), "\(line): \(message)\n\(found)")
    }
    #expect(FileMistakes(mistakes[0]).lines(in: "a\u{7}.json") == ["a\\u{7}.json:2:11: \(mistakes[0].message)"])
  }

  /// A profile with only `text` besides its services.
  private func profile(security text: String) -> String {
    "{\"security\": \(text), \"services\": [{\"uuid\": \"FFF0\", \"characteristics\": []}]}"
  }

  @Test("A profile may contain requirements for pairing")
  func aProfileMayContainRequirementsForPairing() throws {
    let whole = try ProfileReader.read(
      profile(security: #"{"io": "display-only", "minimum_level": "secure", "passkey": "012345"}"#)
    ).security
    #expect(whole?.capability == .displayOnly && whole?.minimumLevel == .authenticatedSecureConnections)
    #expect(whole?.passkey?.digits == "012345")
    #expect(try ProfileReader.read(profile(security: "{}")).security == SecurityRequirements())
  }

  @Test(
    "An error in the pairing requirements is reported with its place",
    arguments: [
      (#"{"io": "display"}"#, 21, "is not what can be shown and typed"),
      (#"{"passkey": 12345}"#, 26, "six digits as a string"),
      (#"{"passkey": "12345"}"#, 26, "six digits"), (#"{"pass": "123456"}"#, 15, "security has no \"pass\""),
      (#"{"minimum_level": "open"}"#, 32, "is not a level of security"), ("[]", 14, "an object for security"),
      (#"{"io": "no-input-no-output", "passkey": "123456"}"#, 54, "unusable"),
      (#"{"io": "no-input-no-output", "minimum_level": "secure"}"#, 60, "expected encrypted"),
    ])
  func anErrorInThePairingRequirementsIsReported(text: String, column: Int, hint: String) throws {
    let error = try firstMistake(profile(security: text))
    #expect(error.position == TextPosition(line: 1, column: column) && error.message.contains(hint), "\(error)")
  }

  @Test("R3.12 Owenli has two services, a counter, a name with its description and a value to read")
  func owenliHasTwoServices() throws {
    let profile = Profile.owenli
    #expect(profile.name == "Owenli")
    #expect(profile.services.map(\.uuid) == [BLEUUID(0xFFF0), BLEUUID(0xFFE0)])
    #expect(profile.services[0].characteristics.map(\.uuid) == [BLEUUID(0xFFF1), BLEUUID(0xFFF2)])
    let counter = profile.services[0].characteristics[0]
    #expect(counter.properties == [.notify])
    guard case .every(1, let values) = counter.notifications else {
      Issue.record("no notification each second")
      return
    }
    #expect(values.map { String(decoding: $0.value(number: 7), as: UTF8.self) } == ["send data : 7"])
    let name = profile.services[0].characteristics[1]
    #expect(name.properties == [.read, .write] && name.descriptors == [.userDescription("name")])
    #expect(profile.services[1].characteristics.map(\.properties) == [[.read]])
  }

  @Test("Permissions follow from the properties")
  func permissionsFollowFromTheProperties() throws {
    #expect(try characteristic(#""properties": ["read"]"#).permissions == [.readable])
    #expect(try characteristic(#""properties": ["writeWithoutResponse"]"#).permissions == [.writeable])
    #expect(try characteristic(#""properties": ["notify"]"#).permissions == [])
    let own = try characteristic(#""properties": ["read"], "permissions": ["readEncryptionRequired"]"#)
    #expect(own.permissions == [.readEncryptionRequired])
    #expect(own.cbPermissions == .readEncryptionRequired && own.cbProperties == .read)
  }

  @Test("Values are text, octets or a number")
  func valuesAreTextOctetsOrANumber() throws {
    #expect(try characteristic(#""properties": ["read"], "value": {"utf8": "é"}"#).value == [0xC3, 0xA9])
    #expect(try characteristic(#""properties": ["read"], "value": {"hex": "01 ff"}"#).value == [0x01, 0xFF])
    #expect(try characteristic(#""properties": ["read"], "value": {"uint8": 200}"#).value == [200])
    #expect(try characteristic(#""properties": ["read"]"#).value == [])
  }

  @Test("Without a list all primary services are advertised")
  func withoutAListAllPrimaryServicesAreAdvertised() throws {
    let text = """
      {"services": [{"uuid": "FFF0", "characteristics": []}, {"uuid": "FFE0", "primary": false, "characteristics": []}]}
      """
    #expect(try ProfileReader.read(text).advertisedServices == [BLEUUID(0xFFF0)])
  }

  @Test(
    "An error is reported with line and column and the expected form",
    arguments: [
      (#""properties": ["notfy"]"#, 33, "'notfy' is not a property: expected read"),
      (#""properties": ["notfy"]"#, 33, "Did you mean 'notify'?"),
      (#""properties": []"#, 32, "expected a list of words with 1 to 7 entries, found 0"),
      (#""properties": ["read", "read"]"#, 41, "this appears twice"),
      (#""properties": "read""#, 32, "expected a list of words, found a string"),
      (#""propertys": ["read"]"#, 18, "a characteristic has no \"propertys\". Did you mean 'properties'?"),
      (#""value": {"hex": "0"}, "properties": ["read"]"#, 35, "pairs of hexadecimal digits"),
      (#""properties": ["read"], "value": "text""#, 51, "expected a value such as {\"utf8\": \"text\"}"),
      (#""properties": ["read"], "value": {"uint8": 256}"#, 61, "expected a whole number of 0 to 255"),
      (#""properties": ["read"], "value": {"uint8": 1.5}"#, 61, "expected a whole number of 0 to 255"),
      (#""properties": ["read"], "value": {"base64": ""}"#, 52, "\"base64\" is not a kind of value"),
      (#""properties": ["read"], "on_write": "echo""#, 54, "\"on_write\" needs the property write"),
      (#""properties": ["write"], "on_write": "echo""#, 55, "\"echo\" needs the property notify"),
      (#""properties": ["read"], "notify": {"from": "input"}"#, 52, "\"notify\" needs the property notify"),
      (#""properties": ["notify"], "notify": {"every": 0, "values": []}"#, 64, "expected 0.01 to 86400 seconds"),
      (#""properties": ["notify"], "notify": {"every": 1}"#, 54, "notifications needs \"values\""),
      (#""properties": ["read"], "permissions": ["writeable"]"#, 57, "permissions and properties disagree"),
      (
        #""properties": ["read"], "descriptors": [{"uuid": "2902", "value": {"hex": "00"}}]"#, 67,
        "expected 2901 (user description) or 2904"
      ),
      (
        #""properties": ["read"], "descriptors": [{"uuid": "2904", "value": {"hex": "00"}}]"#, 84,
        "with 7 octets"
      ),
      (#""properties": ["read"], "colour": 1"#, 42, "a characteristic has no \"colour\""),
    ])
  func anErrorIsReportedWithLineAndColumn(
    text: String, column: Int, message: String
  ) throws {
    let error = try firstMistake(profile(characteristic: text))
    #expect(error.position == TextPosition(line: 2, column: column), "\(error.position) \(error.message)")
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test(
    "An invalid profile is refused",
    arguments: [
      ("[]", 1, 1, "expected an object for the profile, found a list"),
      ("{}", 1, 1, "the profile needs \"services\""),
      (#"{"services": []}"#, 1, 14, "expected a list of services with 1 to 64 entries, found 0"),
      (#"{"services": [{"uuid": "18000"}]}"#, 1, 24, "invalid UUID '18000'"),
      ("{\"services\": [{\n\"uuid\": \"1800\", \"characteristics\": []}]}", 2, 9, "belongs to the stack"),
    ])
  func anInvalidProfileIsRefused(text: String, line: Int, column: Int, message: String) throws {
    let mistakes = try #require(throws: FileMistakes.self) { _ = try ProfileReader.read(text) }.all
    let there = try #require(
      mistakes.first { $0.position == TextPosition(line: line, column: column) }, "\(mistakes)")
    #expect(there.message.contains(message), "\(there.message)")
  }

  @Test("A file that is missing, too large or not UTF-8 is refused with its name")
  func aFileThatIsMissing() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("p.json").path

    let missing = try #require(throws: ToolError.self) { _ = try ProfileSource.file(path).load() }
    #expect(missing.status == .noInput && missing.message.contains("p.json"))

    try Data([0x7B, 0x0A, 0x22, 0xFF]).write(to: URL(fileURLWithPath: path))
    let binary = try #require(throws: ToolError.self) { _ = try ProfileSource.file(path).load() }
    #expect(binary.status == .badData && binary.message.hasSuffix("p.json:2:2: expected UTF-8"))

    try Data(repeating: 0x20, count: ProfileReader.largestFile + 1).write(to: URL(fileURLWithPath: path))
    let large = try #require(throws: ToolError.self) { _ = try ProfileSource.file(path).load() }
    #expect(large.status == .badData)

    try Data("{\n  \"sevices\": []}".utf8).write(to: URL(fileURLWithPath: path))
    let wrong = try #require(throws: ToolError.self) { _ = try ProfileSource.file(path).load() }
    #expect(wrong.status == .badData && wrong.message.contains("p.json:2:3: the profile has no \"sevices\""))
  }

  @Test("A name of the tool's own profiles is no file")
  func aNameOfTheToolsOwnProfilesIsNoFile() throws {
    #expect(try ProfileSource(argument: "battery") == .builtIn(.battery))
    #expect(try ProfileSource(argument: "./battery") == .file("./battery"))
    #expect(throws: ArgumentValueError.self) { _ = try ProfileSource(argument: "thermometer") }
  }

  @Test("The tool's battery falls from 100 to 0")
  func theToolsBatteryFallsFrom100To0() throws {
    guard case .every(_, let values) = Profile.battery.services[0].characteristics[0].notifications else {
      Issue.record("no notifications")
      return
    }
    #expect(values.map { $0.value(number: 1) } == (0...100).reversed().map { [$0] })
  }
}
