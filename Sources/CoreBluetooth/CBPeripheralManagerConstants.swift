// Options of `CBPeripheralManager.init(delegate:queue:options:)`.

/// `Bool`: whether the user is to be told that Bluetooth is switched off. On Linux: one line in the log.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: by which name the state of the manager is kept and restored.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// Keys of `peripheralManager(_:willRestoreState:)`.

/// `[CBMutableService]`: what was published.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"
/// `[String: Any]`: what was advertised.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
