/// Receives the events of a central manager. All methods but the first are optional.
///
/// Availability: iOS 5.0, macOS 10.7.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// Called when the state has changed; always first, except for `centralManager(_:willRestoreState:)`.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// Called before the first state, with the restored state of an earlier process.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// Called when a peripheral was discovered, or advertises new content.
  ///
  /// - Parameters:
  ///   - central: the scanning manager.
  ///   - peripheral: the same object for the same device as long as the program keeps it.
  ///   - advertisementData: see the keys that begin with `CBAdvertisementData`.
  ///   - RSSI: in dBm; 127 if it is not known.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)

  /// Called when the connection was made: services can be discovered.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// Called when the connection failed; it is no longer requested.
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// Called when the connection or the attempt has ended; `error` is `nil` if the program requested that.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// The same for delegates without the method above.
  ///
  /// - Parameters:
  ///   - central: the manager that connected.
  ///   - peripheral: the peripheral that was connected.
  ///   - timestamp: when it happened.
  ///   - isReconnecting: the connection was made with `CBConnectPeripheralOptionEnableAutoReconnect`, and was lost: it is being
  ///     connected again.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)

  /// Called when a matching peer was connected or disconnected by any program.
  ///
  /// Availability: iOS 13.0; not on macOS.
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)

  /// Not called: there is no notification centre here.
  ///
  /// Availability: iOS 13.0; not on macOS.
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    central.watch?.unhandled("centralManager(_:willRestoreState:)")
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}

  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    central.forwardDisconnection(of: peripheral, error)
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    central.disconnectionWasNotHandled(of: peripheral)
  }

  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
