import BLESession
import BLESessionStore
import CoreBluetooth
import Foundation
import Testing

@testable import ble

@Suite("Arguments of record and history")
struct RecordValueTests {
  private func command(_ words: String...) throws -> RecordCommand? {
    guard case .run(let command, _) = try Tool.parser.parse(words) else { return nil }
    return command as? RecordCommand
  }

  private func refusal(_ words: String...) -> String? {
    do throws(UsageError) {
      _ = try Tool.parser.parse(words)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("Targets come first, the file last")
  func targetsComeFirstTheFileLast() throws {
    let one = try #require(try command("record", "Owenli", "a.sqlite"))
    #expect(one.path == "a.sqlite" && one.targets == [.name("Owenli")] && !one.scans)
    let several = try #require(
      try command("record", "a", "--scan", "C0:12:34:56:78:9A", "b", "a.sqlite"))
    #expect(several.targets == [.name("a"), .address(0xC012_3456_789A), .name("b")] && several.path == "a.sqlite")
    let scan = try #require(try command("record", "--scan", "a.sqlite"))
    #expect(scan.targets.isEmpty && scan.scans)
  }

  @Test("Invalid arguments are reported")
  func invalidArgumentsAreReported() {
    #expect(refusal("record") == "Missing expected argument '<file>'")
    #expect(refusal("record", "a.sqlite")?.contains("name a device, or say '--scan'") == true)
    #expect(refusal("record", "--scan", "--read", "2A19", "a.sqlite")?.contains("without a target") == true)
    #expect(refusal("record", "x", "a", "--retain-age", "7 weeks")?.contains("12h or 7d") == true)
    #expect(refusal("record", "x", "a", "--retain-rows", "0")?.contains("1 or more") == true)
    #expect(refusal("record", "x", "a", "--retain-size", "9999999999G")?.contains("100M or 2G") == true)
    #expect(refusal("record", "x", "a", "--subscribe", "Batery Level")?.contains("neither a UUID nor") == true)
    #expect(refusal("history", "a", "valeus")?.contains("Did you mean 'values'?") == true)
    #expect(refusal("history", "a", "values", "more")?.contains("Unexpected argument 'more'") == true)
    #expect(refusal("history", "a", "rssi", "--characteristic", "2A19")?.contains("is for values") == true)
    #expect(refusal("history", "a", "--csv")?.contains("needs to know of what") == true)
    #expect(refusal("history", "a", "rssi", "--csv", "--json")?.contains("contradict") == true)
    #expect(refusal("history", "a", "rssi", "--from", "yesterday")?.contains("2026-11-22") == true)
  }

  @Test(
    "A span has a unit",
    arguments: [
      ("90", 90.0), ("90s", 90), ("1.5m", 90), ("12h", 43_200), ("7d", 604_800),
    ])
  func aSpanHasAUnit(text: String, seconds: Double) throws {
    #expect(try Span(argument: text).seconds == seconds)
  }

  @Test("An invalid span is refused", arguments: ["", "s", "0", "-1h", "1w", "1e3", "h1", "999999999d", "nan", "inf"])
  func anInvalidSpanIsRefused(text: String) {
    #expect(throws: ArgumentValueError.self) { try Span(argument: text) }
  }

  @Test(
    "A size has a unit", arguments: [("1048576", 1 << 20), ("500K", 500 << 10), ("100m", 100 << 20), ("2G", 2 << 30)])
  func aSizeHasAUnit(text: String, octets: Int) throws {
    #expect(try Size(argument: text).octets == octets)
  }

  @Test(
    "A moment is a date, or a span before now",
    arguments: [
      ("2026-11-22", "2026-11-22T00:00:00.000Z"), ("2026-11-22T10:30", "2026-11-22T10:30:00.000Z"),
      ("2026-11-22 10:30:05", "2026-11-22T10:30:05.000Z"), ("2026-11-22T10:30:05.25Z", "2026-11-22T10:30:05.250Z"),
      ("2026-11-22T10:30+01:00", "2026-11-22T09:30:00.000Z"), ("2h", "2026-11-21T22:00:00.000Z"),
      ("30m", "2026-11-21T23:30:00.000Z"),
    ])
  func aMomentIsADate(text: String, stamp: String) throws {
    let now = Date(timeIntervalSince1970: 1_795_305_600)
    #expect(try Moment(argument: text, now: now).date.stamp == stamp)
  }

  @Test(
    "An invalid moment is refused",
    arguments: [
      "", "now", "2026-13-01", "2026-02-30", "2026-11-22T25:00", "2026-11-22T10:30+99:00", "22.11.2026",
      "2026-11-22T10:30:05.1234567Z", "-1h",
    ])
  func anInvalidMomentIsRefused(text: String) {
    #expect(throws: ArgumentValueError.self) { try Moment(argument: text, now: Date()) }
  }

  @Test("A moment outside the calendar is still shown")
  func aMomentOutsideTheCalendarIsStillShown() {
    #expect(Date(timeIntervalSince1970: 9e18).stamp.hasPrefix("9999-12-31T"))
    #expect(Date(timeIntervalSince1970: -9e18).stamp.hasPrefix("0001-01-0"))
  }

  @Test("A characteristic is named by a UUID, a service and a UUID, or an assigned name")
  func aCharacteristicIsNamedByAUUID() throws {
    let level = CharacteristicPath("2A19", in: "180F")
    for text in ["2a19", "180F/2A19", "battery level", "Battery/Battery Level", "Battery/2A19"] {
      #expect(try CharacteristicName(argument: text).matches(level), "\(text)")
    }
    #expect(try !CharacteristicName(argument: "180A/2A19").matches(level))
    #expect(try CharacteristicName(argument: "180F/2A19").paths == [level])
    for text in ["", "/", "a/", "No Such Thing", "\u{1B}[m"] {
      #expect(throws: ArgumentValueError.self) { try CharacteristicName(argument: text) }
    }
  }

  @Test(
    "X2 a text from a device is no formula, no line break and no escape sequence in CSV",
    arguments: [
      ("=1+1", "\"'=1+1\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@sum", "\"'@sum\""), ("＝1", "\"'＝1\""),
      (" =1", "\"' =1\""), ("'quoted", "\"''quoted\""), ("\t=1", "\"\\t=1\""), ("\r\n=1", "\"\\r\\n=1\""),
      ("a\"b", "\"a\"\"b\""), ("a,b;c\nd", "\"a,b;c\\nd\""), ("\u{1B}[2J", "\"\\u{1B}[2J\""), ("", "\"\""),
      ("你好", "\"你好\""),
      ("a\u{0}b", "\"a\\u{0}b\""),
    ])
  func aTextFromADeviceIsNoFormula(text: String, written: String) {
    #expect(CSVField.text(text).written == written)
  }

  @Test("The tool's own numbers stay numbers in CSV")
  func theToolsOwnNumbersStayNumbersInCSV() {
    #expect(
      CSVField.line([.word(-40), .word("2026-11-22T00:00:00.000Z"), .none, .text("x")])
        == "-40,2026-11-22T00:00:00.000Z,,\"x\"")
  }

  @Test("Progress shows rates, and problems")
  func progressShowsRatesAndProblems() {
    var statistics = StoreStatistics()
    statistics.accepted = 1_200
    statistics.committed = 1_200
    statistics.committedValues = 1_000
    let line = RecordProgress.line(statistics, seconds: 3_725, entryRate: 12.34, valueRate: 10)
    #expect(line == "1:02:05  1200 entries (12.3/s)  1000 values (10.0/s)")
    statistics.accepted = 1_300
    statistics.dropped = 7
    let full = RecordProgress.line(statistics, seconds: 5, entryRate: 0, valueRate: 0)
    #expect(full == "00:05  1200 entries (0.0/s)  1000 values (0.0/s)  100 waiting  7 dropped")
  }
}
