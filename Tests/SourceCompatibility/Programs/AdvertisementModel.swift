import CoreBluetooth

/// Turns the dictionary into a value, as every wrapper does.
struct Advertisement {
  var localName: String?
  var services: [CBUUID]
  var solicited: [CBUUID]
  var overflow: [CBUUID]
  var serviceData: [CBUUID: Data]
  var manufacturerData: Data?
  var transmitPower: Int?
  var isConnectable: Bool

  init(_ data: [String: Any]) {
    localName = data[CBAdvertisementDataLocalNameKey] as? String
    services = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    solicited = data[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] ?? []
    overflow = data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? []
    serviceData = data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
    manufacturerData = data[CBAdvertisementDataManufacturerDataKey] as? Data
    transmitPower = (data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue
    isConnectable = (data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
  }
}

final class AdvertisementModel: Program {
  func run(on stage: any Stage) async throws {
    let advertisement = Advertisement([
      CBAdvertisementDataLocalNameKey: "Lamp",
      CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "FF11")],
      CBAdvertisementDataServiceDataKey: [CBUUID(string: "FEAA"): Data([1, 2])],
      CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0x00, 0x02]),
      CBAdvertisementDataTxPowerLevelKey: NSNumber(value: -4),
      CBAdvertisementDataIsConnectable: true,
    ])
    try check(advertisement.localName == "Lamp" && advertisement.services.count == 1)
    try check(advertisement.serviceData[CBUUID(string: "FEAA")] == Data([1, 2]))
    try check(advertisement.manufacturerData?.count == 3 && advertisement.transmitPower == -4)
    try check(advertisement.isConnectable && advertisement.solicited.isEmpty && advertisement.overflow.isEmpty)
    try check(Advertisement([:]).localName == nil)
  }
}
