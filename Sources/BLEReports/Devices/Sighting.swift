import BLECore
import BLESession
import CoreBluetooth
import Foundation

/// The contents of one advertisement.
package struct Sighting: Equatable, Sendable {
  package let identifier: UUID
  package let address: DeviceAddress?
  package var name: String?
  /// In dBm; `nil` where it is not available.
  package var rssi: Int?
  package var isConnectable: Bool
  package var services: [String]
  package var solicitedServices: [String]
  package var overflowServices: [String]
  package var manufacturerData: [UInt8]?
  package var serviceData: [ServiceData]
  /// In dBm.
  package var txPower: Int?
  /// The frame of encrypted measurements among `serviceData`, for those who have looked for a key.
  package var opened: BeaconFrame?
  /// Whether there is a key of this sensor: what it does not encrypt then is not believed. Anyone can send it under the sensor's address.
  package var hasKey = false

  package struct ServiceData: Equatable, Sendable {
    package let service: String
    package let data: [UInt8]

    package init(service: String, data: [UInt8]) { (self.service, self.data) = (service, data) }
  }

  package init(
    identifier: UUID, address: DeviceAddress?, name: String?, rssi: Int?, isConnectable: Bool, services: [String],
    solicitedServices: [String], overflowServices: [String], manufacturerData: [UInt8]?, serviceData: [ServiceData],
    txPower: Int?
  ) {
    self.identifier = identifier
    self.address = address
    self.name = name
    self.rssi = rssi
    self.isConnectable = isConnectable
    self.services = services
    self.solicitedServices = solicitedServices
    self.overflowServices = overflowServices
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.txPower = txPower
  }

  /// Whether it differs from `earlier` in more than the RSSI.
  package func differs(from earlier: Sighting) -> Bool {
    var same = self
    same.rssi = earlier.rssi
    return same != earlier
  }
}

extension Sighting {
  /// `address`: which Apple's API does not tell.
  package init(_ discovery: Discovery, address: DeviceAddress?) {
    let said = discovery.advertisement
    self.init(
      identifier: discovery.identifier, address: address, name: discovery.name, rssi: discovery.rssi,
      isConnectable: said.isConnectable ?? false, services: said.services.map(\.uuidString),
      solicitedServices: said.solicitedServices.map(\.uuidString),
      overflowServices: said.overflowServices.map(\.uuidString),
      manufacturerData: said.manufacturerData.map(Array.init),
      serviceData: said.serviceData.map { ServiceData(service: $0.key.uuidString, data: Array($0.value)) }
        .sorted { $0.service < $1.service },
      txPower: said.transmitPower)
  }
}

extension Sighting: Report {
  package static let members: [ReportMember<Self>] = [
    .init("identifier") { .word($0.identifier.uuidString) }, .init("address") { .word($0.address?.description) },
    .init("name") { .text($0.name) }, .init("rssi") { .integer($0.rssi) },
    .init("connectable") { .flag($0.isConnectable) }, .init("services") { .texts($0.services) },
    .init("solicited_services") { .texts($0.solicitedServices) },
    .init("overflow_services") { .texts($0.overflowServices) },
    .init("manufacturer_data") { .word($0.manufacturerData?.hexadecimal) },
    .init("service_data") { .parts($0.serviceData) }, .init("tx_power") { .integer($0.txPower) },
    .init("beacons") { .parts($0.beacons) },
  ]
}

extension Sighting.ServiceData: Report {
  package static let members: [ReportMember<Self>] = [
    .init("service") { .word($0.service) }, .init("data") { .word($0.data.hexadecimal) },
  ]
}
