import BLECore
import BLEReports
import BLESession
import Foundation
import Testing

/// An advertisement as it was heard.
struct HeardAdvertisement: Sendable, CustomTestStringConvertible {
  var manufacturer = ""
  var service = ""
  var data = ""
  var name: String?
  var services: [String] = []
  var address: UInt64 = 0xA4C1_3802_83F4
  /// What it measures.
  let says: String

  var testDescription: String { says }

  func sighting(address isKnown: Bool = true) throws -> Sighting {
    let own = manufacturer.isEmpty ? nil : Array(try Hexadecimal.decode(manufacturer))
    let data =
      service.isEmpty
      ? [] : [Sighting.ServiceData(service: service, data: Array(try Hexadecimal.decode(data)))]
    return Sighting(
      identifier: UUID(), address: isKnown ? DeviceAddress(address, kind: .public) : nil, name: name, rssi: -60,
      isConnectable: false, services: services, solicitedServices: [], overflowServices: [], manufacturerData: own,
      serviceData: data, txPower: nil)
  }

  /// Each as `NAME VALUE UNIT`.
  static func words(_ sighting: Sighting) -> String {
    sighting.measurements.map { measured in
      let value: String =
        switch measured.value {
        case .text(let text): text
        case .integer(let number): String(number)
        case .number(let number): "\(number)"
        case .none: "none"
        }
      return "\(measured.name) \(value)\(measured.kind.unit.map { " \($0)" } ?? "")"
    }.joined(separator: ", ")
  }
}
