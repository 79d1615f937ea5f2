internal import BLEAdapter
internal import BLECore

/// What programs are told of an advertisement. Kept with its content: as long as a device says the same, nothing is made, looked
/// up or copied for a report, however many devices there are.
///
/// `@unchecked Sendable`: immutable, and so are the values in the dictionary.
final class AdvertisementDictionary: AdvertisementRendering, @unchecked Sendable {
  let dictionary: [String: Any]

  init(_ content: AdvertisementContent) {
    dictionary = content.makeDictionary()
    super.init()
  }
}

extension AdvertisementContent {
  /// The same one for each report that says the same.
  var dictionary: [String: Any] {
    let kept = rendering { AdvertisementDictionary(self) }
    return (kept as? AdvertisementDictionary)?.dictionary ?? makeDictionary()
  }

  /// With Apple's keys and types; what was not advertised is not there.
  fileprivate func makeDictionary() -> [String: Any] {
    var dictionary: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
    if let localName { dictionary[CBAdvertisementDataLocalNameKey] = localName }
    if let manufacturerData { dictionary[CBAdvertisementDataManufacturerDataKey] = Data(manufacturerData) }
    if let txPowerLevel { dictionary[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: txPowerLevel) }
    let lists = [
      (CBAdvertisementDataServiceUUIDsKey, serviceUUIDs),
      (CBAdvertisementDataOverflowServiceUUIDsKey, overflowServiceUUIDs),
      (CBAdvertisementDataSolicitedServiceUUIDsKey, solicitedServiceUUIDs),
    ]
    for (key, uuids) in lists where !uuids.isEmpty { dictionary[key] = uuids.map { CBUUID($0) } }
    if !serviceData.isEmpty {
      var data: [CBUUID: Data] = [:]
      for entry in serviceData { data[CBUUID(entry.uuid)] = Data(entry.data) }
      dictionary[CBAdvertisementDataServiceDataKey] = data
    }
    return dictionary
  }
}
