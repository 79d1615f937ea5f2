import BLEAdapter
import BLECore
import BLEWire

extension AdvertisementContent {
  /// The content of a device's advertisements, as the daemon shows it. The daemon merges them over time, and reports neither the octets nor
  /// whether a device is connectable: `octets` is empty, and `isConnectable` is true.
  convenience init(_ device: DeviceObject) {
    // The data structures for which the daemon has no property.
    let others = AdvertisingData(
      device.advertisingData.sorted { $0.key < $1.key }.flatMap { type, data in
        data.count <= 254 ? [UInt8(data.count + 1), type] + data : []
      })
    // Company identifier first, least significant octet first, as on the air.
    let maker = device.manufacturerData.min { $0.key < $1.key }
    self.init(
      octets: [], localName: others.localName?.text ?? device.name,
      manufacturerData: maker.map { [UInt8(truncatingIfNeeded: $0.key), UInt8($0.key >> 8)] + $0.value },
      serviceData: device.serviceData, serviceUUIDs: device.services, overflowServiceUUIDs: [],
      solicitedServiceUUIDs: others.solicitedServiceUUIDs, txPowerLevel: device.txPower, isConnectable: true)
  }
}
