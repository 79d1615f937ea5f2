import BLECore
import Foundation
import Measurements
import Testing

@testable import ble

/// The table of a scan, and which devices are omitted.
@Suite("The scan table")
struct ScanTableTests {
  private static func sighting(
    _ number: Int, name: String? = nil, rssi: Int? = -60, manufacturer: [UInt8]? = nil, services: [String] = []
  ) -> Sighting {
    let octets = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return Sighting(
      identifier: UUID(
        uuid: (
          octets[0], octets[1], octets[2], octets[3], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
        )),
      address: DeviceAddress(0xC000_0000_0000 + UInt64(number), kind: .random), name: name, rssi: rssi,
      isConnectable: true,
      services: services, solicitedServices: [], overflowServices: [], manufacturerData: manufacturer, serviceData: [],
      txPower: nil)
  }

  private func picture(_ table: ScanTable, columns: Int = 100, rows: Int = 10, at time: Double = 1) -> [String] {
    table.picture(columns: columns, rows: rows, at: time, Style(isOn: false))
  }

  @Test("Devices are sorted by signal, name or time")
  func devicesAreSortedBySignal() {
    var table = ScanTable()
    table.add(Self.sighting(1, name: "b", rssi: -80), at: 0)
    table.add(Self.sighting(2, name: "a", rssi: -70), at: 3)
    table.add(Self.sighting(3, name: nil, rssi: -40), at: 1)
    #expect(table.first(3).map(\.number) == [2, 1, 0])
    table.order = .name
    #expect(table.first(3).map(\.sighting.name) == ["a", "b", nil])
    table.order = .time
    #expect(table.first(3).map(\.number) == [1, 2, 0])
    for order in ScanTable.Order.allCases {
      table.order = order
      #expect(table.first(2).map(\.number) == Array(table.first(3).prefix(2).map(\.number)))
    }
  }

  @Test("A row shows strength, name, address, services and manufacturer, within the screen")
  func aRowShowsStrength() throws {
    var table = ScanTable()
    let services = ["180F", "FFF0"]
    table.add(Self.sighting(1, name: "你好 Owenli", rssi: -42, manufacturer: [0x4C, 0, 1], services: services), at: 0)
    let line = try #require(picture(table, columns: 120).last)
    for part in ["-42 ▂▄▆█", "你好 Owenli", "C0:00:00:00:00:01", "180F Battery", "FFF0", "Apple, Inc.", "now"] {
      #expect(line.contains(part), "\(part): \(line)")
    }
    for columns in [10, 20, 40, 60, 80, 100, 200] {
      for line in picture(table, columns: columns).dropFirst(2) where columns >= 60 {
        #expect(line.displayWidth <= columns, "\(columns): \(line)")
      }
    }
  }

  @Test("Data missing from a later packet stay, and a device that falls silent is marked")
  func dataMissingFromALaterPacketStay() throws {
    var table = ScanTable()
    table.add(Self.sighting(1, name: "x", manufacturer: [0x4C, 0]), at: 0)
    table.add(Self.sighting(1, name: nil, rssi: -90), at: 20)
    let row = try #require(table.first(1).first)
    #expect(row.sighting.name == "x" && row.sighting.maker == "Apple, Inc." && row.sighting.rssi == -90)
    #expect(picture(table, at: 50).last?.contains("30 s") == true)
    #expect(picture(table, at: 50).last?.contains("····") == true)
  }

  @Test("Devices without room are counted")
  func devicesWithoutRoomAreCounted() {
    var table = ScanTable()
    for number in 0..<50 { table.add(Self.sighting(number), at: 0) }
    let lines = picture(table, rows: 10)
    #expect(lines.count == 10 && lines.first?.hasPrefix("50 devices") == true && lines.last == "and 43 more")
    #expect(picture(table, rows: 1).count <= 3 && picture(table, rows: 2).count <= 3)
  }

  @Test("X2 hostile names do not affect a row")
  func hostileNamesDoNotAffectARow() {
    var table = ScanTable()
    table.add(Self.sighting(1, name: "\u{1B}[2J\u{202E}\u{0}\u{9B}31m\n" + String(repeating: "x", count: 300)), at: 0)
    for columns in [30, 80, 200] {
      for line in picture(table, columns: columns) {
        #expect(line.isInert || !line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{9B}" })
      }
    }
  }

  /// Ten thousand advertisers, each heard ten times while the table is drawn eight times a second.
  @Test("10,000 advertisers are drawn within a tenth of their second")
  func tenThousandAdvertisersAreDrawnWithinATenthOfTheirSecond() {
    var table = ScanTable()
    for round in 0..<10 {
      for number in 0..<10_000 {
        table.add(
          Self.sighting(number, name: "device \(number % 977)", rssi: -30 - (number &* 7 + round) % 70),
          at: Double(round) / 10)
      }
    }
    #expect(table.rows.count == 10_000)
    let drawing = ComputedTime.of { for _ in 0..<8 { _ = picture(table, rows: 40) } }
    #expect(drawing < .seconds(2), "eight pictures took \(drawing)")
    print("10,000 advertisers: a picture in \(drawing / 8)")
    for rows in [1, 5, 40] {
      #expect(table.first(rows).map(\.number) == Array(table.first(10_000).prefix(rows).map(\.number)))
    }
  }

  @Test("Lines print 10,000 advertisers that arrive simultaneously")
  func linesPrint10000AdvertisersThatArriveSimultaneously() async {
    let time = await MainActor.run {
      let lines = ScanLines(to: Output(isJSON: false, isQuiet: true, style: Style(isOn: false)), showsEverything: false)
      return ComputedTime.of { for number in 0..<10_000 { lines.add(Self.sighting(number)) } }
    }
    #expect(time < .seconds(2), "\(time)")
  }

  @Test("A trend shows the strongest of each second, silence as a gap")
  func aTrendShowsTheStrongestOfEachSecond() {
    var trend = SignalTrend(seconds: 4)
    trend.add(-90, at: 10)
    trend.add(-30, at: 10.5)
    trend.add(-65, at: 12)
    #expect(trend.text(at: 12) == " █ ▅" || trend.text(at: 12) == " █ ▄")
    #expect(trend.text(at: 13.9).dropFirst(0).hasPrefix("█ "))
    #expect(trend.text(at: 1e9) == "    ")
    #expect(Sparkline.bars(-30) == "▂▄▆█" && Sparkline.bars(-100) == "▂···" && Sparkline.bars(nil) == "····")
    #expect(Sparkline.mark(-127) == "▁" && Sparkline.mark(20) == "█" && Sparkline.mark(nil) == " ")
  }

  @Test("Filters admit the matching devices")
  func filtersAdmitTheMatchingDevices() throws {
    let apple = try ManufacturerName(argument: "apple")
    #expect(apple.numbers.contains(0x4C))
    #expect(
      try ManufacturerName(argument: "0x004C").numbers == [0x4C] && ManufacturerName(argument: "76").numbers == [0x4C])
    #expect(throws: ArgumentValueError.self) { try ManufacturerName(argument: "no such company at all") }
    #expect(throws: ArgumentValueError.self) { try ManufacturerName(argument: "") }
    #expect(throws: ArgumentValueError.self) { try SignalLimit(argument: "-128") }
    let device = Self.sighting(1, name: "SMART_1", rssi: -70, manufacturer: [0x4C, 0, 1])
    let silent = Self.sighting(2, rssi: nil, manufacturer: [0x4C])
    #expect(ScanFilter(prefix: "SMART_").admits(device) && !ScanFilter(prefix: "SMART_").admits(silent))
    #expect(ScanFilter(name: "SMART_1").admits(device) && !ScanFilter(name: "SMART_").admits(device))
    #expect(ScanFilter(leastRSSI: -70).admits(device) && !ScanFilter(leastRSSI: -69).admits(device))
    #expect(!ScanFilter(leastRSSI: -100).admits(silent))
    #expect(ScanFilter(manufacturer: apple).admits(device) && !ScanFilter(manufacturer: apple).admits(silent))
  }
}

/// The octets written to get from one picture to the next.
@Suite("The whole screen")
struct ScreenCanvasTests {
  @Test("Only differences are written, and the screen is correct")
  func onlyDifferencesAreWritten() {
    var canvas = ScreenCanvas(columns: 20, rows: 4)
    var terminal = TerminalModel(columns: 20, rows: 4)
    func show(_ lines: [String]) -> Int {
      let text = canvas.draw(lines)
      terminal.feed(text.utf8)
      #expect(terminal.screen == Array((lines + ["", "", "", ""]).prefix(4)))
      return text.utf8.count
    }
    _ = show(["one", "two", "three"])
    #expect(show(["one", "two", "three"]) == 0)
    #expect(show(["one", "2", "three"]) < 40)
    _ = show(["one"])
    _ = show(["a", "b", "c", "d", "e"])
    canvas.resize(columns: 20, rows: 4)
    _ = show(["x", "y"])
    #expect(terminal.unknown.isEmpty)
  }
}
