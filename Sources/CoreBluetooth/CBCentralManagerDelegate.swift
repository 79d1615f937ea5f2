/// Is told what happens on a central manager. All but the first method may be left out.
///
/// Availability: iOS 5.0, macOS 10.7.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// The state of the manager has changed; always the first call but for `centralManager(_:willRestoreState:)`.
  func centralManagerDidUpdateState(_ central: CBCentralManager)

  /// What an earlier process left is there again; before the first state.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

  /// A peripheral was found, or says something new.
  ///
  /// - Parameters:
  ///   - central: the manager that scans.
  ///   - peripheral: the same object for the same device as long as the program keeps it.
  ///   - advertisementData: see the keys that begin with `CBAdvertisementData`.
  ///   - RSSI: in dBm; 127 where it is not known.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)

  /// The connection is there: services can be discovered.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

  /// The connection did not come about; it is not wanted any more.
  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)

  /// The connection, or the attempt, is over; `error` is `nil` where the program asked for that.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)

  /// The same for delegates that do not have the method above.
  ///
  /// - Parameters:
  ///   - central: the manager that connected.
  ///   - peripheral: what was connected.
  ///   - timestamp: when it happened.
  ///   - isReconnecting: the connection was made with `CBConnectPeripheralOptionEnableAutoReconnect`, and was lost: it is wanted
  ///     again already.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)

  /// A peer that was registered for was connected or disconnected by any program.
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
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}

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
    central.handOnDisconnection(of: peripheral, error)
  }

  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    central.nobodyTakesDisconnection(of: peripheral)
  }

  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}

  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
}
