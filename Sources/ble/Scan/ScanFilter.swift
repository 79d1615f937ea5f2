import BLECore
import BLEWire
import Foundation

/// The devices that a scan reports.
struct ScanFilter: Equatable, Sendable {
  var services: [BLEUUID] = []
  var name: String?
  var prefix: String?
  /// In dBm.
  var leastRSSI: Int?
  var manufacturer: ManufacturerName?

  /// Whether a device passes the filter. Services are a matter of the scan itself.
  func admits(_ sighting: Sighting) -> Bool {
    if let name, sighting.name != name { return false }
    if let prefix, sighting.name?.hasPrefix(prefix) != true { return false }
    if let leastRSSI, sighting.rssi.map({ $0 < leastRSSI }) ?? true { return false }
    if let manufacturer {
      guard let data = sighting.manufacturerData, data.count >= 2 else { return false }
      return manufacturer.numbers.contains(UInt16(data[0]) | UInt16(data[1]) << 8)
    }
    return true
  }
}

/// A company on the command line: `0x004C`, `76`, or a part of its name.
struct ManufacturerName: ArgumentValue, Equatable, Sendable {
  /// The company identifiers of all matching companies.
  let numbers: Set<UInt16>

  init(argument: String) throws(ArgumentValueError) {
    let isHexadecimal = argument.lowercased().hasPrefix("0x")
    if let number = isHexadecimal ? UInt16(argument.dropFirst(2), radix: 16) : UInt16(argument) {
      numbers = [number]
      return
    }
    let wanted = argument.lowercased()
    let found = (UInt16.min...0x1FFF).filter {
      AssignedNumbers.company($0)?.lowercased().contains(wanted) ?? false
    }
    guard !wanted.isEmpty, !found.isEmpty else {
      throw ArgumentValueError("expected a company's number such as 0x004C, or a part of its name such as Apple")
    }
    numbers = Set(found)
  }
}

/// An RSSI limit.
struct SignalLimit: ArgumentValue, Equatable, Sendable {
  /// In dBm.
  let value: Int

  init(argument: String) throws(ArgumentValueError) {
    guard let value = Int(argument), (-127...20).contains(value) else {
      throw ArgumentValueError("expected a number of dBm from -127 to 20, such as -70")
    }
    self.value = value
  }
}
