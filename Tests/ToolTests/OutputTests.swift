import BLECore
import BLEProfileFiles
import Foundation
import Testing

@testable import ble

@Suite("Output")
struct OutputTests {
  @Test(
    "Text that could act on a terminal is escaped",
    arguments: [
      ("\u{1B}[2J", "\\u{1B}[2J"), ("a\nb\rc\td", "a\\nb\\rc\\td"), ("\u{7}\u{0}", "\\u{7}\\u{0}"),
      ("\u{9B}31m", "\\u{9B}31m"), ("abc\u{202E}fed", "abc\\u{202E}fed"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
      ("\u{200F}\u{61C}", "\\u{200F}\\u{61C}"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
      ("\u{FEFF}\u{200B}", "\\u{FEFF}\\u{200B}"), ("\u{E0041}\u{E000}", "\\u{E0041}\\u{E000}"), ("a\\b", "a\\\\b"),
    ])
  func textThatCouldActOnATerminalIsEscaped(text: String, shown: String) {
    #expect(text.inert == shown)
    #expect(!text.isInert)
  }

  @Test("Names in all scripts are unchanged", arguments: ["Owenli", "你好", "Ünïcödé", "👨‍👩‍👧‍👦", "مرحبا", "नमस्ते", ""])
  func namesInAllScriptsAreUnchanged(name: String) {
    #expect(name.inert == name)
    #expect(name.isInert)
  }

  @Test("X2 a hostile name is escaped in the scan table and in JSON")
  func aHostileNameIsEscapedInTheScanTable() throws {
    let name = "\u{1B}]0;gone\u{7}\u{202E}\n\u{9B}2J\"\\"
    let sighting = Sighting(
      identifier: UUID(), address: DeviceAddress(0xC012_3456_789A, kind: .random), name: name, rssi: -40,
      isConnectable: true, services: ["FFF0"], solicitedServices: [], overflowServices: [], manufacturerData: nil,
      serviceData: [], txPower: nil)
    for text in [sighting.line(Style(isOn: false)), sighting.json.text] {
      let acting = text.unicodeScalars.contains {
        $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}"
      }
      #expect(!acting, "\(text.inert)")
    }
    let parsed = try JSONSerialization.jsonObject(with: Data(sighting.json.text.utf8)) as? [String: Any]
    #expect(parsed?["name"] as? String == name)
    #expect(parsed?["address"] as? String == "C0:12:34:56:78:9A")
  }

  @Test("I15.1 a line of the scan and its JSON name the fields of a beacon as the explorer does")
  func aBeaconIsNamed() throws {
    let octets = try #require([UInt8](hexadecimal: "4c000215b5b182c7eab14988aa99b5c1517008d90001cf64c5"))
    let sighting = Sighting(
      identifier: UUID(), address: nil, name: nil, rssi: -40, isConnectable: false, services: [], solicitedServices: [],
      overflowServices: [], manufacturerData: octets, serviceData: [], txPower: nil)
    let line = sighting.line(Style(isOn: false))
    #expect(line.contains("iBeacon, Proximity UUID B5B182C7-EAB1-4988-AA99-B5C1517008D9, Major 1, Minor 53092"))
    #expect(sighting.json.text.contains(#"{"name":"Minor","octets":"cf64","value":53092,"unit":null}"#))
  }

  @Test("JSON keeps the order of its members and is readable by other parsers")
  func jsonKeepsTheOrderOfItsMembersAndIsReadable() throws {
    let value = JSONValue.object([
      "z": .integer(-1), "a": .array([.null, .bool(true), .number(1.5), .number(.infinity)]),
      "s": .string("\u{1F600}\u{1}\u{E0001}/"), "o": .object([:]),
    ])
    #expect(value.text.hasPrefix("{\"z\":-1,\"a\":[null,true,1.5,null],\"s\":"))
    let parsed = try #require(JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
    #expect(parsed["s"] as? String == "\u{1F600}\u{1}\u{E0001}/")
  }

  @Test(
    "A value is shown as text where it is one",
    arguments: [
      ([], "(empty)"), ([0x4F, 0x77], "\"Ow\" (4f77)"), ([0xFF, 0xFE], "fffe"), ([0x00, 0x41], "0041"),
      (Array("a\nb".utf8), "\"a\\nb\" (610a62)"),
    ])
  func aValueIsShownAsText(octets: [UInt8], shown: String) {
    #expect(ValueText(octets).description == shown)
  }

  @Test("A value in JSON is its octets, and its text where they are UTF-8")
  func aValueInJSONIsItsOctets() {
    #expect(ValueText([0x4F, 0x77]).json.text == #"{"hex":"4f77","utf8":"Ow"}"#)
    #expect(ValueText([0xFF]).json.text == #"{"hex":"ff","utf8":null}"#)
    #expect(ValueText([]).json.text == #"{"hex":"","utf8":""}"#)
  }

  @Test("A battery level is a percentage")
  func aBatteryLevelIsAPercentage() {
    #expect(AssignedValues.describe([85], of: "2A19") == "85 % (55)")
    #expect(AssignedValues.describe([101], of: "2A19") == "\"e\" (65)")
  }

  @Test(
    "Assigned values are printed as words",
    arguments: [
      ([0x34, 0x08], "2A6E", "21.00 °C (3408)"), ([0xFF, 0xFF], "2A6E", "-0.01 °C (ffff)"),
      ([0x0A, 0x0A], "2A6F", "25.70 % (0a0a)"), ([0x00, 0x48], "2A37", "72 beats a minute (0048)"),
      ([0x01, 0x2C, 0x01], "2A37", "300 beats a minute (012c01)"), ([0xF8], "2A07", "-8 dBm (f8)"),
      ([], "2A6E", "(empty)"),
    ])
  func assignedValuesArePrintedAsWords(octets: [UInt8], characteristic: String, shown: String) {
    #expect(AssignedValues.describe(octets, of: characteristic) == shown)
  }

  @Test("Emphasis is used only on terminals that want it")
  func emphasisIsUsedOnlyOnTerminalsThatWant() {
    #expect(Style.standard(environment: [:], isTerminal: true).isOn)
    #expect(!Style.standard(environment: [:], isTerminal: false).isOn)
    #expect(!Style.standard(environment: ["NO_COLOR": "1"], isTerminal: true).isOn)
    #expect(Style.standard(environment: ["NO_COLOR": ""], isTerminal: true).isOn)
    #expect(!Style.standard(environment: ["TERM": "dumb"], isTerminal: true).isOn)
  }

  @Test("Each exit reason has its own number and word")
  func eachExitReasonHasItsOwnNumberAndWord() {
    #expect(Set(ExitStatus.allCases.map(\.word)).count == ExitStatus.allCases.count)
    #expect(ExitStatus.usage.rawValue == 64)
    #expect(ExitStatus.interrupted.rawValue == 130)
  }

  @Test("A text is truncated between characters")
  func aTextIsTruncatedBetweenCharacters() {
    let pieces = Array(TextPieces(of: "ab你好👋c", atMost: 5))
    #expect(pieces.map { String(decoding: $0, as: UTF8.self) } == ["ab你", "好", "👋c"])
    #expect(Array(TextPieces(of: "", atMost: 5)).isEmpty)
    #expect(Array(TextPieces(of: "👋", atMost: 3)).map(\.count) == [3, 1])
  }
}
