// Options of `CBPeripheralManager.init(delegate:queue:options:)`.

/// `Bool`: whether the user is to be alerted that Bluetooth is switched off. On Linux: one line in the log.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: the identifier under which the state of the manager is preserved and restored.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// Keys of `peripheralManager(_:willRestoreState:)`.

/// `[CBMutableService]`: the services that were published.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
/// `[String: Any]`: the advertisement.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
