internal import BLEAdapter
internal import BLECore

/// The dictionaries of advertisements, each made once for as long as its device says the same.
struct AdvertisementCache {
  /// Devices that come and go under new addresses must not fill the memory.
  private static let capacity = 4_096

  private var known: [PeerIdentifier: (content: AdvertisementContent, dictionary: [String: Any])] = [:]

  mutating func dictionary(_ discovery: Discovery) -> [String: Any] {
    if let entry = known[discovery.peer], entry.content === discovery.content { return entry.dictionary }
    if known.count >= Self.capacity { known.removeAll() }
    let dictionary = discovery.content.dictionary
    known[discovery.peer] = (discovery.content, dictionary)
    return dictionary
  }
}

extension AdvertisementContent {
  /// With Apple's keys and types; what was not advertised is not there.
  var dictionary: [String: Any] {
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
