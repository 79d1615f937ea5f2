import BLEGateway
import BLEReports
import Foundation

// What was collected of gateways, as tables: times, and all that a device has said, come from outside.

extension CollectedMessage {
  /// What each of the rows has, in front of its own members.
  fileprivate static func members<Row>(
    _ own: [ReportMember<CollectedMessage>], _ message: @escaping @Sendable (Row) -> CollectedMessage
  ) -> [ReportMember<Row>] {
    let common: [ReportMember<CollectedMessage>] = [
      .init("time") { .text($0.time) }, .init("gateway") { .text($0.gateway) }, .init("device") { .text($0.device) },
      .init("identifier") { .text($0.identifier) }, .init("name") { .text($0.name) },
    ]
    return (common + own + [.init("key") { .text($0.key) }]).map { $0.of(message) }
  }

  fileprivate static func columns<Row>(
    _ message: @escaping @Sendable (Row) -> CollectedMessage
  ) -> [ReportColumn<Row>] {
    [
      .init("TIME", 24) { message($0).time.inert }, .init("GATEWAY", 10) { message($0).gateway.inert },
      .init("DEVICE", 16, isStrong: true) { message($0).device?.inert },
    ]
  }
}

/// A value of a characteristic, or the fields of a notification that a device file describes.
struct CollectedValueRow: ReportRow {
  let message: CollectedMessage

  static let table: [ReportColumn<Self>] =
    CollectedMessage.columns(\.message) + [
      .init("WHAT", 14) { $0.what?.inert }, .init("VALUE") { $0.shown },
    ]
  static let members: [ReportMember<Self>] = CollectedMessage.members(
    [
      .init("service") { .text($0.text("service")) }, .init("characteristic") { .text($0.text("characteristic")) },
      .init("notification") { .text($0.text("notification")) },
      .init("value", columns: ["hex", "utf8"]) { .octets($0.octets) },
      .init("meaning") { .text($0.text("meaning")) }, .init("quantity") { .json($0.member("quantity")) },
      .init("fields") { .json($0.member("fields")) },
    ], \.message)

  private var what: String? {
    let characteristic = message.text("characteristic").map { name in
      (message.text("service").map { $0 + "/" } ?? "") + name
    }
    return characteristic ?? message.text("notification")
  }

  private var shown: String {
    guard let octets = message.octets else { return (message.member("fields") ?? .null).text.inert }
    return AssignedValues.describe(Array(octets), of: message.text("characteristic") ?? "")
  }
}

/// The strength of a connection, or of an advertisement.
struct CollectedStrengthRow: ReportRow {
  let message: CollectedMessage

  static let table: [ReportColumn<Self>] =
    CollectedMessage.columns(\.message) + [
      .init("RSSI", 9) { row in row.message.number("rssi").map { "\($0.plain) dBm" } },
      .init("SOURCE") { $0.message.source },
    ]
  static let members: [ReportMember<Self>] = CollectedMessage.members(
    [
      .init("rssi") { .integer($0.number("rssi").flatMap { Int(exactly: $0) }) },
      .init("smoothed") { .number($0.number("smoothed")) }, .init("source") { .word($0.source) },
    ], \.message)
}

extension CollectedMessage {
  fileprivate var source: String { event == "discovered" ? "advertisement" : "connection" }
}

/// What has happened to a device or to a gateway; answers to commands are among it.
struct CollectedEventRow: ReportRow {
  let message: CollectedMessage

  static let table: [ReportColumn<Self>] =
    CollectedMessage.columns(\.message) + [
      .init("EVENT", 18) { $0.message.event.inert }, .init("DETAIL") { $0.message.detail.text.inert },
    ]
  static let members: [ReportMember<Self>] = CollectedMessage.members(
    [.init("kind") { .text($0.event) }, .init("detail") { .json($0.detail) }], \.message)
}

extension CollectedDevice: ReportRow {
  static let table: [ReportColumn<Self>] = [
    .init("LAST HEARD", 24) { $0.last.inert }, .init("DEVICE", 16, isStrong: true) { $0.device.inert },
    .init("GATEWAY", 10) { $0.gateway?.inert }, .init("MESSAGES", 9) { String($0.messages) },
    .init("ADDRESS", 17) { $0.address?.inert }, .init("NAME") { $0.name?.inert ?? "(no name)" },
  ]
  package static let members: [ReportMember<Self>] = [
    .init("device") { .text($0.device) }, .init("gateway") { .text($0.gateway) },
    .init("identifier") { .text($0.identifier) }, .init("address") { .text($0.address) },
    .init("name") { .text($0.name) }, .init("first_seen") { .text($0.first) }, .init("last_seen") { .text($0.last) },
    .init("messages") { .integer($0.messages) },
  ]
}

/// How much was collected, and between when.
struct CollectedSummaryReport: Report {
  let path: String
  let summary: CollectedSummary

  private static let rows: [ReportMember<CollectedSummary>] = [
    .init("gateways") { .integer($0.gateways) }, .init("devices") { .integer($0.devices) },
    .init("values") { .integer($0.values) }, .init("rssi") { .integer($0.strengths) },
    .init("events") { .integer($0.events) }, .init("octets") { .integer($0.size) },
  ]
  static let members: [ReportMember<Self>] =
    [
      .init("file") { .text($0.path) }, .init("from") { .text($0.summary.first) },
      .init("until") { .text($0.summary.last) },
    ] + rows.map { $0.of(\.summary) }

  var text: String {
    let span = summary.first.map { "\($0) to \(summary.last ?? $0)" } ?? "nothing was collected yet"
    let rows = Self.rows.map { (name: $0.name, number: $0.value(summary).json.text) }
    return ([path.inert + ": " + span.inert] + HistorySummary.aligned(rows)).joined(separator: "\n")
  }
}
