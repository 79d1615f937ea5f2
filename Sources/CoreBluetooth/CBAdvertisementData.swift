// Keys of the dictionaries that describe a received advertisement, or one to be sent.

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
/// `[CBUUID: Data]`: service data.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"
/// `Data`: the manufacturer data; it begins with the company identifier, least significant octet first.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"
/// `[CBUUID]`: services found in the overflow area.
///
/// Availability: iOS 6.0, macOS 10.9.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"
/// `Bool`: whether the device is connectable.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"
/// `[CBUUID]`: services that the device solicits.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
