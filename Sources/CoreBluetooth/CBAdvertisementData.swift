// Keys of the dictionaries that describe an advertisement, found or to be sent.

/// `String`: the name, complete or shortened.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"
/// `NSNumber`: the transmit power in dBm.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"
/// `[CBUUID]`: the services.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"
/// `[CBUUID: Data]`: data of services.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
/// `Data`: the manufacturer's data, led by the company identifier, least significant octet first.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
/// `[CBUUID]`: services that were found in the overflow area.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
/// `Bool`: whether the device takes connections.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
/// `[CBUUID]`: services that the device looks for on its peer.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
