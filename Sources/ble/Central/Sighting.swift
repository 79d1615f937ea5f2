import BLECore
import BLESession
import CoreBluetooth

/// The contents of one advertisement.
struct Sighting: Equatable, Sendable {
  let identifier: UUID
  let address: DeviceAddress?
  var name: String?
  /// In dBm; `nil` where it is not available.
  var rssi: Int?
  var isConnectable: Bool
  var services: [String]
  var solicitedServices: [String]
  var overflowServices: [String]
  var manufacturerData: [UInt8]?
  var serviceData: [ServiceData]
  /// In dBm.
  var txPower: Int?

  struct ServiceData: Equatable, Sendable {
    let service: String
    let data: [UInt8]
  }

  /// Whether it differs from `earlier` in more than the RSSI.
  func differs(from earlier: Sighting) -> Bool {
    var same = self
    same.rssi = earlier.rssi
    return same != earlier
  }
}

extension Sighting {
  init(_ discovery: Discovery) {
    let said = discovery.advertisement
    self.init(
      identifier: discovery.identifier, address: PeerAddresses.address(of: discovery.identifier), name: discovery.name,
      rssi: discovery.rssi, isConnectable: said.isConnectable ?? false, services: said.services.map(\.uuidString),
      solicitedServices: said.solicitedServices.map(\.uuidString),
      overflowServices: said.overflowServices.map(\.uuidString),
      manufacturerData: said.manufacturerData.map(Array.init),
      serviceData: said.serviceData.map { ServiceData(service: $0.key.uuidString, data: Array($0.value)) }
        .sorted { $0.service < $1.service },
      txPower: said.transmitPower)
  }
}

extension Sighting: Report {
  static let members: [ReportMember<Self>] = [
    .init("identifier") { .word($0.identifier.uuidString) }, .init("address") { .word($0.address?.description) },
    .init("name") { .text($0.name) }, .init("rssi") { .integer($0.rssi) },
    .init("connectable") { .flag($0.isConnectable) }, .init("services") { .texts($0.services) },
    .init("solicited_services") { .texts($0.solicitedServices) },
    .init("overflow_services") { .texts($0.overflowServices) },
    .init("manufacturer_data") { .word($0.manufacturerData?.hexadecimal) },
    .init("service_data") { .parts($0.serviceData) }, .init("tx_power") { .integer($0.txPower) },
  ]

  /// One line of the scan table.
  func line(_ style: Style) -> String { strength + details(style) }

  /// The beginning of the line, which differs for nearly every packet.
  var strength: String {
    let number = rssi.map { String($0) } ?? "?"
    return String(repeating: " ", count: max(0, 4 - number.utf8.count)) + number + " dBm  "
  }

  /// The rest of the line.
  func details(_ style: Style) -> String {
    var parts = [identifier.uuidString, style.strong(name?.inert ?? "(no name)")]
    if !services.isEmpty {
      parts.append("[" + services.map(AssignedNames.labelled(service:)).joined(separator: ", ") + "]")
    }
    if let manufacturerData {
      parts.append(style.faint("manufacturer \(AssignedNames.manufacturer(manufacturerData))"))
    }
    if !isConnectable { parts.append(style.faint("not connectable")) }
    return parts.joined(separator: "  ")
  }
}

extension Sighting.ServiceData: Report {
  static let members: [ReportMember<Self>] = [
    .init("service") { .word($0.service) }, .init("data") { .word($0.data.hexadecimal) },
  ]
}
