import BLEDeviceFiles
import BLESession
import BLESessionCryptography
import CoreBluetooth
import Testing

/// The folder of the examples.
enum DeviceFiles {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/Devices")

  static func description(_ name: String) throws -> DeviceDescription {
    try DeviceDescription(contentsOf: folder.appendingPathComponent(name))
  }

  static func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }
}

@Suite("Device description files")
struct DeviceFileReaderTests {
  private func mistakes(in text: String) -> [String] {
    do {
      _ = try DeviceDescription(text: text, file: "x.json")
      return []
    } catch {
      return error.lines
    }
  }

  /// A file with one command, whose members are `text`.
  private func file(command text: String, frame: String? = nil, more: String = "") -> String {
    """
    {"format": "ble-device/1", "name": "x", "match": {"names": ["x"]},
    "conversation": {"write": "FFF0/FFF1"\(frame.map { ", \"codec\": [{\"frame\": \($0)}]" } ?? "")},
    "commands": {"go": {\(text)}}\(more)}
    """
  }

  @Test("the examples are read without an error", arguments: ["itag.json", "smart-band.json", "lock.json"])
  func examples(name: String) throws {
    let description = try DeviceFiles.description(name)
    #expect(!description.commands.isEmpty && !description.notifications.isEmpty && description.simulation != nil)
    #expect(description.wakeHint != nil && description.summary != nil)
  }

  @Test("R4.4 the file says how a device is recognised, and where its address is")
  func recognition() throws {
    let lock = try DeviceFiles.description("lock.json").recognition
    var heard = Discovery(identifier: UUID(), name: "ILOCK")
    heard.advertisement.manufacturerData = try Hexadecimal.decode("4B4C 01 C0FFEE010203")
    #expect(lock.rule().matches(heard))
    #expect(lock.rule(address: "c0:ff:ee:01:02:03").matches(heard))
    #expect(!lock.rule(address: "C0:FF:EE:01:02:04").matches(heard))
    heard.advertisement.manufacturerData = try Hexadecimal.decode("4B4C 02 C0FFEE010203")
    #expect(!lock.rule().matches(heard))
    let band = try DeviceFiles.description("smart-band.json").recognition
    var other = Discovery(identifier: UUID(), name: "SMART_1")
    #expect(!band.rule().matches(other))
    other.advertisement.services = [CBUUID(string: "FFF0")]
    #expect(band.rule().matches(other))
    other.name = "smart_1"
    #expect(!band.rule().matches(other))
  }

  @Test("R4.10 frame, check, key and order are those of the file")
  func conversation() throws {
    let lock = try #require(try DeviceFiles.description("lock.json").conversation)
    #expect(lock.commandPath == CharacteristicPath("FFE9", in: "FFE5") && lock.answerPath == lock.commandPath)
    let frame = try FrameFormat(
      start: Data([0x55]), fields: [.init(.type), .init(.length)],
      check: FrameCheck(.cyclicRedundancyCheck("CRC-8/MAXIM-DOW")), maximumPayload: 64)
    #expect(lock.codec.frame == frame)
    #expect(lock.codec.inner == [.exclusiveOr(key: Data([0x5A, 0xA5, 0x3C, 0xC3]))] && lock.codec.outer.isEmpty)
    #expect(lock.handshake?.values == ["key": .octets(Data([0x00, 0x11, 0x22, 0x33]))])
    #expect(lock.handshake?.timeLimit == 1.5 && lock.handshake?.retries == 2)
  }

  @Test(
    "an error is reported with its place, the expected form and the actual text",
    arguments: [
      ("", "x.json:1:1: expected a value, found the end of the file"),
      ("[]", "x.json:1:1: expected an object for the device description, found a list"),
      ("{}", "x.json:1:1: the device description needs \"format\" and \"name\" and \"match\""),
      (
        #"{"format": "ble-device/9", "name": "x", "match": {"names": ["x"]}}"#,
        #"x.json:1:12: expected "ble-device/1", found "ble-device/9""#
      ),
      (
        #"{"format": "ble-device/1", "name": 7, "match": {"names": ["x"]}}"#,
        "x.json:1:36: expected a string, found a number"
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {}}"#,
        #"x.json:1:50: "match" needs one of "names", "name_prefix", "services", "manufacturer", "service_data""#
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"nmaes": ["x"]}}"#,
        #"x.json:1:51: "match" has no "nmaes". Did you mean 'names'?"#
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"services": ["12"]}}"#,
        "x.json:1:64: invalid UUID '12': expected 4, 8 or 36 hexadecimal characters such as 180F"
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"], "address": {"offset": 22}}}"#,
        "x.json:1:89: expected the place of the address: a whole number from 0 to 21, found 22"
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"]}, "commands": {"a b": {}}}"#,
        #"x.json:1:81: "a b" is no name: expected 1 to 64 letters, digits, '-', '_' or '.'"#
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"]}, "commands": {"go": {}}}"#,
        #"x.json:1:81: the command "go" needs "read" or "write", or the file a "conversation""#
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"]}, "commands": {"list": {"read": "180F/2A19"}}}"#,
        #"x.json:1:81: "list" is a subcommand of the tool: expected another name"#
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"]}, "commands": {"go": {"read": "180F"}}}"#,
        #"x.json:1:96: expected a service and its characteristic, such as "180F/2A19", found '180F'"#
      ),
      (
        #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"]}, "commands": {"go": {"read": "180F/2A19", "retries": 1}}}"#,
        #"x.json:1:109: the command "go" has no "retries""#
      ),
    ])
  func single(text: String, line: String) {
    #expect(mistakes(in: text).first == line)
  }

  @Test(
    "errors in messages and frames",
    arguments: [
      (
        #""send": [{"constant": "0"}]"#, nil,
        "x.json:3:43: expected octets as hexadecimal digits: 1 hexadecimal digits do not make whole octets"
      ),
      (
        #""send": [{"name": "n", "as": "float"}]"#, nil,
        "x.json:3:50: 'float' is not a kind of field: expected integer, text, hex"
      ),
      (#""send": [{"name": "n", "range": [5, 1]}]"#, nil, "x.json:3:53: expected the least number first"),
      (
        #""send": [{"name": "n", "range": [0, 256]}]"#, nil,
        "x.json:3:57: expected a number that the field can hold: a whole number from 0 to 255, found 256"
      ),
      (
        #""send": [{"name": "n", "range": [0, 9], "default": 10}]"#, nil,
        #"x.json:3:72: "n": expected a whole number from 0 to 9, found 10"#
      ),
      (#""send": [{"name": "n", "octets": 8}]"#, nil, #"x.json:3:30: an integer of 8 octets has to be "signed""#),
      (#""send": [{"name": "n"}, {"name": "n"}]"#, nil, #"x.json:3:45: there is a field "n" already"#),
      (
        #""send": [{"name": "a", "as": "text"}, {"name": "b", "as": "hex"}]"#, nil,
        #"x.json:3:59: only one field may do without "octets": the end of a second one would be unknown"#
      ),
      (
        #""send": [{"name": "n", "values": {"on": 1}, "default": "of"}]"#, nil,
        #"x.json:3:76: "n": expected one of on, found 'of'"#
      ),
      (
        #""send": []"#, #"{"fields": [{"meaning": "typ"}]}"#,
        "x.json:2:84: 'typ' is not what a field of the frame means: expected type, sequence, length. Did you mean 'type'?"
      ),
      (#""send": []"#, #"{"fields": [{"meaning": "type"}]}"#, #"x.json:3:20: the command "go" needs "type""#),
      (
        #""type": 256"#, #"{"fields": [{"meaning": "type"}]}"#,
        "x.json:3:29: expected a type of frame: a whole number from 0 to 255, found 256"
      ),
      (
        #""send": []"#, #"{"check": {"algorithm": "crc-8/maxin"}}"#,
        "x.json:2:84: no check is called 'crc-8/maxin': expected sum, complement, xor or a name such as CRC-8/MAXIM-DOW"
      ),
      (
        #""send": []"#, #"{"fields": [{"meaning": "length"}, {"meaning": "length"}]}"#,
        "x.json:2:60: there is more than one length field"
      ),
      (#""refusal": {}"#, nil, #"x.json:3:14: a command with a "refusal" needs an "answer", too"#),
    ] as [(String, String?, String)])
  func messages(command: String, frame: String?, line: String) throws {
    let found = try #require(mistakes(in: file(command: command, frame: frame)).first)
    #expect(found.hasPrefix(line), "\(found)")
  }

  @Test("all errors of a file are reported together, in its order")
  func several() {
    let lines = mistakes(
      in: """
        {
          "format": "ble-device/1",
          "name": "x",
          "match": { "names": [], "adress": {} },
          "conversation": {
            "write": "FFF0-FFF1",
            "codec": [{ "xor": "0G" }, { "modulo": { "multiply": 4 } }, { "ceasar": 3 }]
          },
          "commands": { "go": { "time_limit": -1 } },
          "extra": true
        }
        """)
    let places = lines.map { $0.split(separator: ":").dropFirst().prefix(2).joined(separator: ":") }
    #expect(places == ["4:23", "4:27", "6:14", "7:24", "7:58", "7:67", "9:39", "10:3"], "\(lines)")
  }

  @Test("a simulation that could not answer is an error of the file")
  func simulation() {
    let field = #""answer": {"fields": [{"name": "level"}]}"#
    let missing = mistakes(in: file(command: field, more: #", "simulation": {}"#))
    #expect(missing.first?.contains(#"expected a value for it in the simulation's "state""#) == true, "\(missing)")
    let state = #", "simulation": {"state": {"level": 300}}"#
    #expect(mistakes(in: file(command: field, more: state)).first?.contains("from 0 to 255, found 300") == true)
    let wrong = #", "simulation": {"state": {"levle": 3}}"#
    #expect(mistakes(in: file(command: field, more: wrong)).first?.contains("Did you mean 'level'?") == true)
    let needed = mistakes(in: file(command: field + #", "simulated": {"silent": true}"#))
    #expect(needed.first?.contains(#""simulated" needs a "simulation" in the file"#) == true)
  }

  @Test("a handshake has to be a command with an answer, with all its values")
  func handshake() {
    func lines(_ handshake: String, command: String) -> [String] {
      mistakes(
        in:
          #"{"format": "ble-device/1", "name": "x", "match": {"names": ["x"]}, "conversation": {"write": "FFF0/FFF1", "handshake": \#(handshake)}, "commands": {"hello": {\#(command)}}}"#
      )
    }
    let answer = #""answer": {"fields": [{"constant": "00"}]}"#
    #expect(lines(#"{"command": "hello"}"#, command: answer).isEmpty)
    #expect(lines(#"{"command": "helo"}"#, command: answer).first?.contains("Did you mean 'hello'?") == true)
    #expect(lines(#"{"command": "hello"}"#, command: "").first?.contains("it can't verify the device") == true)
    let field = #""send": [{"name": "key"}], "# + answer
    #expect(lines(#"{"command": "hello"}"#, command: field).first?.contains(#"needs a value for "key""#) == true)
    #expect(lines(#"{"command": "hello", "values": {"kye": 1}}"#, command: field).first?.contains("'key'") == true)
  }

  @Test("size, depth, encoding and the number of errors have limits")
  func limits() throws {
    let large = Data(repeating: 0x20, count: DeviceDescription.largestFile + 1)
    #expect(throws: DeviceFileError.self) { try DeviceDescription(octets: large, file: "x.json") }
    #expect(mistakes(in: String(repeating: "[", count: 100_000)).first?.contains("levels of nesting") == true)
    let members = (0..<1_000).map { "\"k\($0)\": 1" }.joined(separator: ",\n")
    #expect(mistakes(in: "{\(members)}").count == 50)
    let broken = Data("{\n\"name\": \"".utf8) + [0xFF, 0xFE] + Data("\"}".utf8)
    let error = #expect(throws: DeviceFileError.self) { try DeviceDescription(octets: broken, file: "x.json") }
    #expect(error?.lines == ["x.json:2:10: expected UTF-8"])
    #expect(throws: (any Error).self) { try DeviceDescription(contentsOf: URL(fileURLWithPath: "/nowhere/x.json")) }
  }

  @Test("hostile text of a file is shown escaped")
  func inert() throws {
    let line = try #require(
      mistakes(in: "{\"format\": \"ble-device/1\", \"name\": \"x\", \"match\": {\"\u{202E}\\u001b[31m\": 1}}").first)
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
  }
}

@Suite("Random device description files")
struct RandomDeviceFileTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &+ 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }

  @Test(
    "any file is accepted, or refused with places in it", arguments: ["itag.json", "smart-band.json", "lock.json"])
  func mutations(name: String) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = Generator(state: seed)
    let original = Array(try DeviceFiles.text(name).utf8)
    for _ in 0..<300 {
      var changed = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let start = Int.random(in: 0..<changed.count, using: &generator)
        let end = min(changed.count, start + Int.random(in: 0...6, using: &generator))
        let source = Int.random(in: 0..<original.count, using: &generator)
        let other = original[source..<min(original.count, source + Int.random(in: 0...12, using: &generator))]
        changed.replaceSubrange(start..<end, with: other)
      }
      do {
        _ = try DeviceDescription(octets: Data(changed), file: name)
      } catch {
        let lines = changed.count { $0 == 0x0A } + 1
        #expect(!error.mistakes.isEmpty && error.mistakes.count <= 50, "seed \(seed)")
        #expect(error.mistakes.allSatisfy { (1...lines).contains($0.position.line) }, "seed \(seed)")
        #expect(error.mistakes.map(\.position) == error.mistakes.map(\.position).sorted(), "seed \(seed)")
      }
    }
  }
}
