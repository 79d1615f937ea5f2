import BLESession
import BLESessionStore
import Foundation

private let timeWidth = 24

private func named(_ name: String?, _ identifier: UUID?) -> String? { name?.inert ?? identifier?.uuidString }
private func hexadecimal(_ data: Data) -> String { ValueText(Array(data)).hexadecimal }

extension StoredDevice: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("LAST SEEN", timeWidth) { $0.lastSeen.stamp }, .init("IDENTIFIER", 36) { $0.identifier.uuidString },
    .init("ADDRESS", 17) { $0.address?.inert }, .init("NAME", isStrong: true) { $0.name?.inert ?? "(no name)" },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("identifier") { .word($0.identifier.uuidString) }, .init("address") { .text($0.address) },
    .init("name") { .text($0.name) }, .init("first_seen") { .word($0.firstSeen.stamp) },
    .init("last_seen") { .word($0.lastSeen.stamp) }, .init("services") { .texts($0.services) },
    .init("manufacturer_data") { .word($0.manufacturerData.map(hexadecimal)) },
  ]

  func remarks(_ style: Style) -> [String] {
    let names = services.map { AssignedNames.labelled(service: $0).inert }.joined(separator: ", ")
    let maker = manufacturerData.map { style.faint(AssignedNames.manufacturer(Array($0))) }
    return [names.isEmpty ? nil : "[\(names)]", maker].compactMap(\.self)
  }
}

extension StoredSession: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("BEGAN", timeWidth) { $0.began.stamp }, .init("UNTIL", timeWidth) { $0.until.stamp },
    .init("SESSION", 7) { String($0.id) }, .init("ENDING", 9) { $0.ending?.word },
    .init("TITLE", isStrong: true) { $0.title.inert },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("session") { .integer(Int($0.id)) }, .init("title") { .text($0.title) },
    .init("began") { .word($0.began.stamp) }, .init("until") { .word($0.until.stamp) },
    .init("ending") { .word($0.ending?.word) },
  ]
}

extension StoredSession.Ending {
  fileprivate var word: String {
    switch self {
    case .ended: "ended"
    case .cutShort: "cut-short"
    }
  }
}

extension StoredConnection: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("BEGAN", timeWidth) { $0.began.stamp }, .init("ENDED", timeWidth) { $0.ended?.stamp },
    .init("DEVICE", 16, isStrong: true) { named($0.deviceName, $0.device) },
    .init("ORIGIN", 9) { $0.origin?.rawValue }, .init("ENDING") { $0.ending?.rawValue },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("session") { .integer(Int($0.session)) }, .init("identifier") { .word($0.device.uuidString) },
    .init("name") { .text($0.deviceName) }, .init("origin") { .word($0.origin?.rawValue) },
    .init("began") { .word($0.began.stamp) }, .init("ready") { .word($0.ready?.stamp) },
    .init("ended") { .word($0.ended?.stamp) }, .init("ending") { .word($0.ending?.rawValue) },
    .init("error") { .text($0.error) },
  ]

  func remarks(_ style: Style) -> [String] { [error?.inert].compactMap(\.self) }
}

extension StoredValue: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("TIME", timeWidth) { $0.time.stamp },
    .init("DEVICE", 16, isStrong: true) { named($0.deviceName, $0.device) },
    .init("CHARACTERISTIC", 14) { (($0.service.map { "\($0)/" } ?? "") + $0.characteristic).inert },
    .init("SOURCE", 8) { $0.source?.rawValue },
    .init("VALUE") { AssignedValues.describe(Array($0.octets), of: $0.characteristic) },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("time") { .word($0.time.stamp) }, .init("session") { .integer(Int($0.session)) },
    .init("identifier") { .word($0.device.uuidString) }, .init("name") { .text($0.deviceName) },
    .init("service") { .text($0.service) }, .init("characteristic") { .text($0.characteristic) },
    .init("source") { .word($0.source?.rawValue) }, .init("value", columns: ["hex", "utf8"]) { .octets($0.octets) },
  ]
}

extension StoredSignal: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("TIME", timeWidth) { $0.time.stamp },
    .init("DEVICE", 16, isStrong: true) { named($0.deviceName, $0.device) }, .init("RSSI", 9) { "\($0.rssi) dBm" },
    .init("SOURCE") { $0.source?.rawValue },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("time") { .word($0.time.stamp) }, .init("session") { .integer(Int($0.session)) },
    .init("identifier") { .word($0.device.uuidString) }, .init("name") { .text($0.deviceName) },
    .init("rssi") { .integer($0.rssi) }, .init("smoothed") { .number($0.smoothed.map { ($0 * 10).rounded() / 10 }) },
    .init("source") { .word($0.source?.rawValue) },
  ]
}

extension StoredEvent: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("TIME", timeWidth) { $0.time.stamp },
    .init("DEVICE", 16, isStrong: true) { named($0.deviceName, $0.device) }, .init("EVENT", 18) { $0.kind.inert },
    .init("DETAIL") { $0.detail?.inert ?? "" },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("time") { .word($0.time.stamp) }, .init("session") { .integer(Int($0.session)) },
    .init("identifier") { .word($0.device?.uuidString) }, .init("name") { .text($0.deviceName) },
    .init("kind") { .text($0.kind) }, .init("detail") { .text($0.detail) },
  ]
}
