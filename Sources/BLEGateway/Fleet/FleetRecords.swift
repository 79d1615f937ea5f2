import BLEReports

/// A gateway, as the broker knows it.
package struct FleetGateway: Sendable, Equatable {
  package var name: String
  /// `nil`: nothing was said yet.
  package var isOnline: Bool?
  /// The time of its connection, by its own clock.
  package var since: String?
  package var version: String?
  /// How many devices it is set up to keep.
  package var devices: Int?
  package var isListening: Bool?
  /// When something of it arrived that the broker had not kept, in milliseconds since 1970.
  package var heard: Int?
}

/// The last value of one characteristic, or of one notification of a device file.
package struct FleetValue: Sendable, Equatable {
  /// `180F-2A19`, or the notification's name.
  package var name: String
  /// For people, in a few words.
  package var text: String
  package var number: Double?
  package var unit: String?
  package var gateway: String
  /// By the gateway's clock.
  package var time: String?
}

/// A device, as gateways know it.
package struct FleetDevice: Sendable, Equatable {
  /// Its name in topics.
  package var device: String
  package var name: String?
  package var address: String?
  /// The gateway that keeps it, by its lease or, where it has none, by its status.
  package var holder: String?
  /// The phase of its lease; `nil` where it has none.
  package var phase: String?
  package var epoch: Int?
  /// Whether it is connected and ready at a gateway that is there; `nil`: nothing was said.
  package var isOnline: Bool?
  package var room: String?
  package var values: [FleetValue]
  /// The smoothed strengths in dBm at the gateways that hear it, the strongest first.
  package var strengths: [FleetStrength]
  package var heard: Int?
}

/// How well a gateway hears a device.
package struct FleetStrength: Sendable, Equatable {
  package var gateway: String
  package var rssi: Double
}

/// What is known of a fleet, or what of it has changed.
package struct FleetScene: Sendable, Equatable {
  package var gateways: [FleetGateway] = []
  package var devices: [FleetDevice] = []
  /// The names of those that are not known any more.
  package var goneGateways: [String] = []
  package var goneDevices: [String] = []
  package var link = FleetLink()
}

/// Whether the broker is there, and what it has delivered.
package struct FleetLink: Sendable, Equatable {
  package var broker = ""
  package var isConnected = false
  /// Why it is not, as the end of a sentence.
  package var reason: String?
  /// Messages that were none of a gateway: too long, of another format, or about something else than their topic.
  package var ignored = 0
  /// Milliseconds since 1970, by the machine's clock.
  package var time = 0
}

extension FleetGateway: Report {
  package static let members: [ReportMember<Self>] = [
    .init("gateway") { .text($0.name) }, .init("status") { .word($0.isOnline.map { $0 ? "online" : "offline" }) },
    .init("since") { .text($0.since) }, .init("version") { .text($0.version) },
    .init("devices") { .integer($0.devices) }, .init("listening") { .flag($0.isListening) },
    .init("heard_ms") { .integer($0.heard) },
  ]
}

extension FleetValue: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("text") { .text($0.text) }, .init("number") { .number($0.number) },
    .init("unit") { .text($0.unit) }, .init("gateway") { .text($0.gateway) }, .init("time") { .text($0.time) },
  ]
}

extension FleetDevice: Report {
  package static let members: [ReportMember<Self>] = [
    .init("device") { .text($0.device) }, .init("name") { .text($0.name) }, .init("address") { .text($0.address) },
    .init("holder") { .text($0.holder) }, .init("phase") { .word($0.phase) }, .init("epoch") { .integer($0.epoch) },
    .init("status") { .word($0.isOnline.map { $0 ? "online" : "offline" }) }, .init("room") { .text($0.room) },
    .init("values") { .parts($0.values) }, .init("strengths") { .parts($0.strengths) },
    .init("heard_ms") { .integer($0.heard) },
  ]
}

extension FleetStrength: Report {
  package static let members: [ReportMember<Self>] = [
    .init("gateway") { .text($0.gateway) }, .init("rssi") { .number($0.rssi) },
  ]
}

extension FleetScene: Report {
  package static let members: [ReportMember<Self>] = [
    .init("time_ms") { .integer($0.link.time) }, .init("broker") { .text($0.link.broker) },
    .init("connected") { .flag($0.link.isConnected) },
    .init("reason") { .text($0.link.reason) }, .init("ignored") { .integer($0.link.ignored) },
    .init("gateways") { .parts($0.gateways) }, .init("devices") { .parts($0.devices) },
    .init("gone_gateways") { .texts($0.goneGateways) }, .init("gone_devices") { .texts($0.goneDevices) },
  ]
}
