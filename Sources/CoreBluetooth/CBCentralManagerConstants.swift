// Options of `CBCentralManager.init(delegate:queue:options:)`.

/// `Bool`: whether the user is to be told that Bluetooth is switched off. On Linux: one line in the log.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: by which name the state of the manager is kept and restored.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
/// `Bool`: accepted and ignored.
@available(*, deprecated)
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

// Options of `CBCentralManager.scanForPeripherals(withServices:options:)`.

/// `Bool`: an event for each packet, not only for new content.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"
/// `[CBUUID]`: peripherals that solicit one of these services are found too.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String = "kCBScanOptionSolicitedServiceUUIDs"

// Options of `CBCentralManager.connect(_:options:)`.

/// `Bool`: concerns alerts of suspended applications, of which Linux has none.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "kCBConnectOptionNotifyOnConnection"
/// `Bool`: concerns alerts of suspended applications, of which Linux has none.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String = "kCBConnectOptionNotifyOnDisconnection"
/// `Bool`: concerns alerts of suspended applications, of which Linux has none.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "kCBConnectOptionNotifyOnNotification"
/// A number: how many seconds to wait before the attempt starts.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"
/// `Bool`: accepted and ignored, as there is no classic Bluetooth here.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String = "kCBConnectOptionEnableTransportBridging"
/// `Bool`: accepted and ignored, as there is no notification centre here.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"
/// `Bool`: a connection that is lost is wanted again by itself; see
/// `centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)`.
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "kCBConnectOptionEnableAutoReconnect"

// Keys of `centralManager(_:willRestoreState:)`.

/// `[CBPeripheral]`: what was connected or being connected.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"
/// `[CBUUID]`: what was scanned for.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"
/// `[String: Any]`: the options of the scan.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// What `CBCentralManager.registerForConnectionEvents(options:)` matches.
public struct CBConnectionEventMatchingOption: Hashable, Equatable, RawRepresentable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `[CBUUID]`: peers that have one of these services.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// `[UUID]`: these peers.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
