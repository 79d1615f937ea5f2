import BLEAdapter
import BLECore
import BLEWire

extension AdvertisementContent {
  /// What the daemon shows of a device's advertisements. It puts them together over time, does not hand on the octets, and does not say
  /// whether a device takes connections: `octets` is empty, and `isConnectable` is true.
  convenience init(_ device: DeviceObject) {
    // The structures that the daemon has no property for.
    let others = AdvertisingData(
      device.advertisingData.sorted { $0.key < $1.key }.flatMap { type, data in
        data.count <= 254 ? [UInt8(data.count + 1), type] + data : []
      })
    // Company identifier first, least significant octet first, as it travelled.
    let maker = device.manufacturerData.min { $0.key < $1.key }
    self.init(
      octets: [], localName: others.localName?.text ?? device.name,
      manufacturerData: maker.map { [UInt8(truncatingIfNeeded: $0.key), UInt8($0.key >> 8)] + $0.value },
      serviceData: device.serviceData, serviceUUIDs: device.services, overflowServiceUUIDs: [],
      solicitedServiceUUIDs: others.solicitedServiceUUIDs, txPowerLevel: device.txPower, isConnectable: true)
  }
}
