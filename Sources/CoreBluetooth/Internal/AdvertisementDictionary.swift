internal import BLEAdapter
internal import BLECore

/// The dictionary of an advertisement that programs receive. Cached with its content: as long as a device advertises the same
/// content, a report makes, looks up and copies nothing, however many devices there are.
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
  /// The same object for each report with the same content.
  var dictionary: [String: Any] {
    let kept = rendering { AdvertisementDictionary(self) }
    return (kept as? AdvertisementDictionary)?.dictionary ?? makeDictionary()
  }

  /// With Apple's keys and types; keys without a value are absent.
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
