import BLECore
import BLEWire
import Foundation

extension ScanTable {
  /// The table for a screen of this size.
  func picture(columns: Int, rows: Int, at time: Double, _ style: Style) -> [String] {
    let room = max(0, rows - 2)
    let hidden = self.rows.count - room
    // The last line says how many devices are hidden.
    let shown = first(hidden > 0 ? room - 1 : room)
    let widths = Widths(shown, columns)
    let count = "\(self.rows.count)\(isFull ? "+" : "") device\(self.rows.count == 1 ? "" : "s")"
    let status = "\(count)  \(Int(time)) s  by \(order.rawValue) (s: another order, q: end)"
    var lines = [style.strong(status.truncated(toColumns: columns)), style.faint(widths.header)]
    lines += shown.map { row(for: $0, widths, at: time, style) }
    if hidden > 0, room > 0 { lines.append(style.faint("and \(self.rows.count - shown.count) more")) }
    return lines
  }

  /// The widths of the columns.
  private struct Widths {
    let name: Int
    let address: Int
    let rest: Int

    /// The width of RSSI, bars, trend and age, with the gaps between them.
    static let fixed = 4 + 1 + 4 + 2 + ScanTable.trendWidth + 2 + 4 + 2

    init(_ rows: [Row], _ columns: Int) {
      let longest = rows.map { ($0.sighting.name?.inert ?? "").displayWidth }.max() ?? 0
      let free = max(0, columns - Self.fixed)
      name = min(max(longest, 9), max(9, free / 2), 32)
      address = free - name >= 21 ? 17 : 0
      rest = max(0, free - name - 2 - (address > 0 ? address + 2 : 0))
    }

    var header: String {
      let strength =
        " dBm" + String(repeating: " ", count: 7) + "last \(ScanTable.trendWidth) s".padded(to: ScanTable.trendWidth)
      let place = address > 0 ? "address".padded(to: address) + "  " : ""
      return strength + "  " + "seen" + "  " + "name".padded(to: name) + "  " + place
        + (rest >= 8 ? "offers".padded(to: rest) : "")
    }
  }

  static let trendWidth = 12

  private func row(for row: Row, _ widths: Widths, at time: Double, _ style: Style) -> String {
    let sighting = row.sighting
    let isStale = time - row.time > Self.staleAfter
    let strength = sighting.rssi.map(String.init) ?? "?"
    let name = (sighting.name?.inert ?? "(no name)").truncated(toColumns: widths.name).padded(to: widths.name)
    var line = String(repeating: " ", count: max(0, 4 - strength.count)) + strength
    line += " " + Sparkline.bars(isStale ? nil : sighting.rssi) + "  " + row.trend.text(at: time)
    line += "  " + Self.age(time - row.time).padded(to: 4) + "  "
    line += isStale || sighting.name == nil ? name : style.strong(name)
    if widths.address > 0 {
      let address = sighting.address?.description ?? sighting.identifier.uuidString
      line += "  " + address.truncated(toColumns: widths.address).padded(to: widths.address)
    }
    let offers = Self.offers(of: sighting).truncated(toColumns: widths.rest)
    if !offers.isEmpty { line += "  " + offers }
    return isStale ? style.faint(line) : line
  }

  /// Services and company.
  private static func offers(of sighting: Sighting) -> String {
    var parts = sighting.services.prefix(8).map(AssignedNames.labelled(service:))
    if let maker = sighting.maker { parts.append(maker) }
    if !sighting.isConnectable { parts.append("not connectable") }
    return parts.joined(separator: ", ")
  }

  /// An age in at most four characters.
  static func age(_ seconds: Double) -> String {
    switch seconds {
    case ..<2: "now"
    case ..<100: "\(Int(seconds)) s"
    case ..<6000: "\(Int(seconds / 60)) m"
    default: "long"
    }
  }
}

extension Sighting {
  /// The company of its manufacturer specific data.
  var maker: String? {
    guard let manufacturerData, manufacturerData.count >= 2 else { return nil }
    let number = UInt16(manufacturerData[0]) | UInt16(manufacturerData[1]) << 8
    return AssignedNumbers.company(number)
  }
}

extension String {
  /// Pads with blanks to a width in columns.
  func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - displayWidth))
  }
}
