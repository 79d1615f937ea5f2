/// Receives the events of a peripheral manager. All methods but the first are optional.
///
/// Availability: iOS 6.0, macOS 10.9.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  /// Called when the state has changed; always first, except for `peripheralManager(_:willRestoreState:)`.
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

  /// Called before the first state, with the restored state of an earlier process.
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

  /// Called when advertising has started; `error` is the reason of a failure.
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

  /// Called when a service was published; `error` is the reason of a failure.
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

  /// Called when a central has subscribed; it is already in the characteristic's `subscribedCentrals`.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

  /// Called when a central has unsubscribed, and for each subscription of a central whose link has ended.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

  /// Called for a read; to be answered by `respond(to:withResult:)`, with the value from the request's offset. Without this
  /// method the response is Request Not Supported.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

  /// Called for writes: all of `requests` or none are to be carried out, and the first to be answered by
  /// `respond(to:withResult:)`. Without this method the response is Request Not Supported.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

  /// Called when there is space again after `updateValue(_:for:onSubscribedCentrals:)` returned false.
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

  /// Called when centrals can open channels on this PSM; `error` is the reason of a failure.
  func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

  /// Called when channels can no longer be opened on this PSM; open ones remain.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

  /// Called when a central has opened a channel; its streams are not open yet. `error` is the reason of a failure.
  ///
  /// Availability: iOS 11.0, macOS 10.13.
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    peripheral.watch?.unhandled("peripheralManager(_:willRestoreState:)")
  }
  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    peripheral.watch?.unhandled("peripheralManager(_:didReceiveRead:)", request.subject)
    peripheral.respond(to: request, withResult: .requestNotSupported)
  }
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    peripheral.watch?.unhandled("peripheralManager(_:didReceiveWrite:)", requests.first?.subject ?? ProgramSubject())
    if let first = requests.first { peripheral.respond(to: first, withResult: .requestNotSupported) }
  }
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    peripheral.watch?.unhandled("peripheralManagerIsReady(toUpdateSubscribers:)")
  }
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}
