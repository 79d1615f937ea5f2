// Options of `CBPeripheralManager.init(delegate:queue:options:)`.

/// `Bool`: whether the user is to be told that Bluetooth is switched off. On Linux: one line in the log.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: by which name the state of the manager is kept and restored.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// Keys of `peripheralManager(_:willRestoreState:)`.

/// `[CBMutableService]`: what was published.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
/// `[String: Any]`: what was advertised.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
