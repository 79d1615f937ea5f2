import BLESession
import BLESessionStore
import Foundation

/// Columns of a table: what comes from a device is inert in them.
private func column(_ text: String, _ width: Int) -> String {
  let shown = text.count > width ? String(text.prefix(width - 1)) + "…" : text
  return shown + String(repeating: " ", count: max(0, width - shown.count))
}

private func named(_ name: String?, _ identifier: UUID?) -> String {
  column(name?.inert ?? identifier?.uuidString ?? "-", 16)
}

private let timeWidth = 24

extension StoredDevice: HistoryRow {
  static var heading: String {
    column("LAST SEEN", timeWidth) + "  " + column("IDENTIFIER", 36) + "  " + column("ADDRESS", 17) + "  NAME"
  }
  static var header: [String] {
    ["identifier", "address", "name", "first_seen", "last_seen", "services", "manufacturer_data"]
  }

  func line(_ style: Style) -> String {
    var parts = [
      lastSeen.stamp, identifier.uuidString, column(address?.inert ?? "-", 17),
      style.strong(name?.inert ?? "(no name)"),
    ]
    if !services.isEmpty {
      parts.append("[" + services.map { AssignedNames.labelled(service: $0).inert }.joined(separator: ", ") + "]")
    }
    if let manufacturerData { parts.append(style.faint(AssignedNames.manufacturer(Array(manufacturerData)))) }
    return parts.joined(separator: "  ")
  }

  var fields: [CSVField] {
    [
      .word(identifier.uuidString), .text(orNull: address), .text(orNull: name), .word(firstSeen.stamp),
      .word(lastSeen.stamp), .text(services.joined(separator: " ")), .word(orNull: manufacturerData.map(hexadecimal)),
    ]
  }

  var json: JSONValue {
    .object([
      "identifier": .string(identifier.uuidString), "address": .string(orNull: address), "name": .string(orNull: name),
      "first_seen": .string(firstSeen.stamp), "last_seen": .string(lastSeen.stamp),
      "services": .array(services.map(JSONValue.string)),
      "manufacturer_data": .string(orNull: manufacturerData.map(hexadecimal)),
    ])
  }
}

private func hexadecimal(_ data: Data) -> String { ValueText(Array(data)).hexadecimal }

extension StoredSession: HistoryRow {
  static var heading: String {
    column("BEGAN", timeWidth) + "  " + column("UNTIL", timeWidth) + "  " + column("SESSION", 7) + "  ENDING     TITLE"
  }
  static var header: [String] { ["session", "title", "began", "until", "ending"] }

  private var word: String? {
    switch ending {
    case .ended: "ended"
    case .cutShort: "cut-short"
    case nil: nil
    }
  }

  func line(_ style: Style) -> String {
    [began.stamp, until.stamp, column(String(id), 7), column(word ?? "-", 9), style.strong(title.inert)]
      .joined(separator: "  ")
  }

  var fields: [CSVField] {
    [.word(Int(id)), .text(title), .word(began.stamp), .word(until.stamp), .word(orNull: word)]
  }

  var json: JSONValue {
    .object([
      "session": .integer(Int(id)), "title": .string(title), "began": .string(began.stamp),
      "until": .string(until.stamp), "ending": .string(orNull: word),
    ])
  }
}

extension StoredConnection: HistoryRow {
  static var heading: String {
    column("BEGAN", timeWidth) + "  " + column("ENDED", timeWidth) + "  " + column("DEVICE", 16) + "  ORIGIN     ENDING"
  }
  static var header: [String] {
    ["session", "identifier", "name", "origin", "began", "ready", "ended", "ending", "error"]
  }

  func line(_ style: Style) -> String {
    [
      began.stamp, column(ended?.stamp ?? "-", timeWidth), style.strong(named(deviceName, device)),
      column(origin?.rawValue ?? "-", 9), ending?.rawValue ?? "-", error?.inert ?? "",
    ].joined(separator: "  ").trimmingBlanks
  }

  var fields: [CSVField] {
    [
      .word(Int(session)), .word(device.uuidString), .text(orNull: deviceName), .word(orNull: origin?.rawValue),
      .word(began.stamp), .word(orNull: ready?.stamp), .word(orNull: ended?.stamp), .word(orNull: ending?.rawValue),
      .text(orNull: error),
    ]
  }

  var json: JSONValue {
    .object([
      "session": .integer(Int(session)), "identifier": .string(device.uuidString), "name": .string(orNull: deviceName),
      "origin": .string(orNull: origin?.rawValue), "began": .string(began.stamp),
      "ready": .string(orNull: ready?.stamp),
      "ended": .string(orNull: ended?.stamp), "ending": .string(orNull: ending?.rawValue),
      "error": .string(orNull: error),
    ])
  }
}

extension StoredValue: HistoryRow {
  static var heading: String {
    column("TIME", timeWidth) + "  " + column("DEVICE", 16) + "  " + column("CHARACTERISTIC", 14) + "  SOURCE    VALUE"
  }
  static var header: [String] {
    ["time", "session", "identifier", "name", "service", "characteristic", "source", "hex", "utf8"]
  }

  func line(_ style: Style) -> String {
    let place = (service.map { "\($0)/" } ?? "") + characteristic
    let text = AssignedValues.describe(Array(octets), of: characteristic)
    return [
      time.stamp, style.strong(named(deviceName, device)), column(place.inert, 14), column(source?.rawValue ?? "-", 8),
      text,
    ].joined(separator: "  ")
  }

  var fields: [CSVField] {
    let text = ValueText(Array(octets))
    return [
      .word(time.stamp), .word(Int(session)), .word(device.uuidString), .text(orNull: deviceName),
      .text(orNull: service), .text(characteristic), .word(orNull: source?.rawValue), .word(text.hexadecimal),
      .text(orNull: text.readableText),
    ]
  }

  var json: JSONValue {
    .object([
      "time": .string(time.stamp), "session": .integer(Int(session)), "identifier": .string(device.uuidString),
      "name": .string(orNull: deviceName), "service": .string(orNull: service),
      "characteristic": .string(characteristic), "source": .string(orNull: source?.rawValue),
      "value": ValueText(Array(octets)).json,
    ])
  }
}

extension StoredSignal: HistoryRow {
  static var heading: String {
    column("TIME", timeWidth) + "  " + column("DEVICE", 16) + "  " + column("RSSI", 9) + "  SOURCE"
  }
  static var header: [String] { ["time", "session", "identifier", "name", "rssi", "smoothed", "source"] }

  private var tenths: Double? { smoothed.map { ($0 * 10).rounded() / 10 } }

  func line(_ style: Style) -> String {
    [time.stamp, style.strong(named(deviceName, device)), column("\(rssi) dBm", 9), source?.rawValue ?? "-"]
      .joined(separator: "  ")
  }

  var fields: [CSVField] {
    [
      .word(time.stamp), .word(Int(session)), .word(device.uuidString), .text(orNull: deviceName), .word(rssi),
      .word(orNull: tenths.map { String($0) }), .word(orNull: source?.rawValue),
    ]
  }

  var json: JSONValue {
    .object([
      "time": .string(time.stamp), "session": .integer(Int(session)), "identifier": .string(device.uuidString),
      "name": .string(orNull: deviceName), "rssi": .integer(rssi),
      "smoothed": tenths.map(JSONValue.number) ?? .null, "source": .string(orNull: source?.rawValue),
    ])
  }
}

extension StoredEvent: HistoryRow {
  static var heading: String {
    column("TIME", timeWidth) + "  " + column("DEVICE", 16) + "  " + column("EVENT", 18) + "  DETAIL"
  }
  static var header: [String] { ["time", "session", "identifier", "name", "kind", "detail"] }

  func line(_ style: Style) -> String {
    [time.stamp, style.strong(named(deviceName, device)), column(kind.inert, 18), detail?.inert ?? ""]
      .joined(separator: "  ").trimmingBlanks
  }

  var fields: [CSVField] {
    [
      .word(time.stamp), .word(Int(session)), .word(orNull: device?.uuidString), .text(orNull: deviceName), .text(kind),
      .text(orNull: detail),
    ]
  }

  var json: JSONValue {
    .object([
      "time": .string(time.stamp), "session": .integer(Int(session)), "identifier": .string(orNull: device?.uuidString),
      "name": .string(orNull: deviceName), "kind": .string(kind), "detail": .string(orNull: detail),
    ])
  }
}

extension String {
  /// Without blanks at its end.
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
