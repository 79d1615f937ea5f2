import BLECore
import BLEReports
import Foundation
import Testing

/// What somebody has published of a sensor: an advertisement, and what it says. Tables have one in a line:
/// `FORMAT | ADDRESS | NAME; +SERVICE | m=MANUFACTURER SERVICE=DATA | MEASUREMENTS`, and before them where they are from.
struct PublishedAdvertisement: Sendable, CustomTestStringConvertible {
  let format: String
  let sighting: Sighting
  let says: String

  var testDescription: String { "\(format) \(says)" }

  static let all: [PublishedAdvertisement] = (rooms + "\n" + houses + "\n" + tags).split(separator: "\n")
    .filter { !$0.hasPrefix("#") }.compactMap(PublishedAdvertisement.init)

  init?(_ line: Substring) {
    let columns = line.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard columns.count == 5 else { return nil }
    (format, says) = (columns[0], columns[4])
    let names = columns[2].split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    var (manufacturer, services) = ([UInt8]?.none, [Sighting.ServiceData]())
    for part in columns[3].split(separator: " ") {
      let sides = part.split(separator: "=")
      guard sides.count == 2, let octets = [UInt8](hexadecimal: String(sides[1])) else { return nil }
      if sides[0] == "m" { manufacturer = octets } else { services.append(.init(service: "\(sides[0])", data: octets)) }
    }
    // One that is in no advertisement.
    let address = UInt64(columns[1].isEmpty ? "C00000000001" : columns[1], radix: 16)
    sighting = Sighting(
      identifier: UUID(), address: address.map { DeviceAddress($0, kind: .public) },
      name: names.first { !$0.hasPrefix("+") }, rssi: -60, isConnectable: false,
      services: names.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }, solicitedServices: [],
      overflowServices: [], manufacturerData: manufacturer, serviceData: services, txPower: nil)
  }

  /// Lines that are in the tables, comments not counted.
  static let lines = (rooms + "\n" + houses + "\n" + tags).split(separator: "\n").filter { !$0.hasPrefix("#") }.count
}
