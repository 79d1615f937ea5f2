internal import BLEAdapter
internal import BLECore

/// The three `Notify...` options of `CBCentralManager.connect(_:options:)`. On Apple's systems they alert the user while the app
/// is suspended; here each writes a line to the log.
struct ConnectionAlerts: OptionSet {
  let rawValue: UInt8

  static let connection = Self(rawValue: 1 << 0)
  static let disconnection = Self(rawValue: 1 << 1)
  static let notification = Self(rawValue: 1 << 2)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ options: [String: Any]?) {
    self = []
    guard let options else { return }
    if options.flag(CBConnectPeripheralOptionNotifyOnConnectionKey) { insert(.connection) }
    if options.flag(CBConnectPeripheralOptionNotifyOnDisconnectionKey) { insert(.disconnection) }
    if options.flag(CBConnectPeripheralOptionNotifyOnNotificationKey) { insert(.notification) }
  }
}

extension CBPeripheral {
  /// Logs once for each connection: a peer that notifies a hundred times a second would fill the log.
  func alert(_ alert: ConnectionAlerts, _ what: String) {
    guard withState({ $0.openAlerts.remove(alert) != nil }) else { return }
    context.adapter.log.log(.notice, "\(description) \(what)")
  }
}
