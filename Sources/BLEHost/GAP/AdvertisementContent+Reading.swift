import BLEAdapter
import BLECore
import BLEWire

extension AdvertisementContent {
  /// Combines a device's advertising and scan response data. `wanted` are the services that a scan looks for: only those can be found
  /// in an overflow area.
  convenience init(
    advertisement: [UInt8], scanResponse: [UInt8], isConnectable: Bool, overflowServices wanted: [BLEUUID]
  ) {
    // They are read separately: a structure that exceeds the end of the first must not consume the second.
    let parts = [AdvertisingData(advertisement), AdvertisingData(scanResponse)]
    let area = parts.lazy.compactMap(\.overflowArea).first
    var names = parts.compactMap(\.localName)
    if let complete = names.firstIndex(where: \.isComplete) { names.swapAt(0, complete) }
    self.init(
      octets: advertisement + scanResponse,
      localName: names.first?.text,
      manufacturerData: parts.lazy.compactMap(\.plainManufacturerData).first.map(Array.init),
      serviceData: parts.flatMap(\.serviceData).map { ($0.uuid, Array($0.data)) },
      serviceUUIDs: parts.flatMap(\.serviceUUIDs),
      overflowServiceUUIDs: area.map { area in wanted.filter(area.mayContain) } ?? [],
      solicitedServiceUUIDs: parts.flatMap(\.solicitedServiceUUIDs),
      txPowerLevel: parts.lazy.compactMap(\.txPowerLevel).first,
      isConnectable: isConnectable)
  }

  /// The content of a device from which no data was received.
  static let nothing = AdvertisementContent(
    advertisement: [], scanResponse: [], isConnectable: false, overflowServices: [])

  /// Whether the services found depend on those looked for.
  var hasOverflowArea: Bool { AdvertisingData(octets).overflowArea != nil }
}

extension AdvertisingData {
  /// The first manufacturer data other than an overflow area, which is reported as services.
  fileprivate var plainManufacturerData: ArraySlice<UInt8>? {
    for structure in self where structure.type == .manufacturerSpecificData {
      guard let data = ManufacturerData(octets: structure.data), OverflowArea(data) == nil else { continue }
      return structure.data
    }
    return nil
  }
}
