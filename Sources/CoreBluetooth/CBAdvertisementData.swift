// Keys of the dictionaries that describe an advertisement, found or to be sent.

/// `String`: the name, complete or shortened.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"
/// `NSNumber`: the transmit power in dBm.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"
/// `[CBUUID]`: the services.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"
/// `[CBUUID: Data]`: data of services.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
/// `Data`: the manufacturer's data, led by the company identifier, least significant octet first.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
/// `[CBUUID]`: services that were found in the overflow area.
///
/// Availability: iOS 6.0, macOS 10.9.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
/// `Bool`: whether the device takes connections.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
/// `[CBUUID]`: services that the device looks for on its peer.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
