// Options of `CBCentralManager.init(delegate:queue:options:)`.

/// `Bool`: whether the user is to be alerted that Bluetooth is switched off. On Linux: one line in the log.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"
/// `String`: the identifier under which the state of the manager is preserved and restored.
///
/// Availability: iOS 7.0, macOS 10.13.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
/// `Bool`: accepted and ignored.
///
/// Availability: iOS 16.0; not on macOS; deprecated.
@available(*, deprecated)
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

// Options of `CBCentralManager.scanForPeripherals(withServices:options:)`.

/// `Bool`: an event for each packet, instead of only for new content.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"
/// `[CBUUID]`: peripherals that solicit one of these services are found too.
///
/// Availability: iOS 7.0, macOS 10.9.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String = "kCBScanOptionSolicitedServiceUUIDs"

// Options of `CBCentralManager.connect(_:options:)`.

/// `Bool`: whether the user is to be alerted of the connection. On Linux: a line in the log.
///
/// Availability: iOS 6.0, macOS 10.13.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String = "kCBConnectOptionNotifyOnConnection"
/// `Bool`: whether the user is to be alerted when the connection is lost. On Linux: a line in the log.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String = "kCBConnectOptionNotifyOnDisconnection"
/// `Bool`: whether the user is to be alerted of notifications. On Linux: a line in the log for the first of a connection.
///
/// Availability: iOS 6.0, macOS 10.13.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String = "kCBConnectOptionNotifyOnNotification"
/// A number: the seconds to wait before the attempt starts.
///
/// Availability: iOS 6.0, macOS 10.13.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"
/// `Bool`: accepted and ignored, as there is no classic Bluetooth here.
///
/// Availability: iOS 13.0; not on macOS.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String = "kCBConnectOptionEnableTransportBridging"
/// `Bool`: accepted and ignored, as there is no notification centre here.
///
/// Availability: iOS 13.0; not on macOS.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"
/// `Bool`: whether a lost connection is requested again automatically; see
/// `centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)`.
///
/// Availability: iOS 17.0, macOS 14.0.
public let CBConnectPeripheralOptionEnableAutoReconnect: String = "kCBConnectOptionEnableAutoReconnect"

// Keys of `centralManager(_:willRestoreState:)`.

/// `[CBPeripheral]`: the peripherals that were connected or being connected.
///
/// Availability: iOS 7.0, macOS 10.13.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"
/// `[CBUUID]`: the services that were scanned for.
///
/// Availability: iOS 7.0, macOS 10.13.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"
/// `[String: Any]`: the options of the scan.
///
/// Availability: iOS 7.0, macOS 10.13.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// The keys of `CBCentralManager.registerForConnectionEvents(options:)`.
///
/// Availability: iOS 13.0; not on macOS.
public struct CBConnectionEventMatchingOption: Hashable, Equatable, RawRepresentable, Sendable {
  /// The text of the key.
  public let rawValue: String
  /// Accepts every value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `[CBUUID]`: peers that have one of these services.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// `[UUID]`: these peers.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
