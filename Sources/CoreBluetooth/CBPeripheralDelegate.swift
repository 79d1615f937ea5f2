/// Receives the events of a peripheral. All methods are optional.
///
/// Availability: iOS 5.0, macOS 10.7.
public protocol CBPeripheralDelegate: NSObjectProtocol {
  /// Called when the name has changed; `name` has the new one.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)

  /// Called when the peer has changed these services: they, and all their attributes, have to be discovered again.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

  /// Called for `CBPeripheral.readRSSI()` if the delegate does not implement `peripheral(_:didReadRSSI:error:)`, which replaced
  /// it; the value is in `CBPeripheral.rssi`.
  ///
  /// Availability: iOS 5.0, macOS 10.7; deprecated in iOS 8.0, macOS 10.13.
  @available(*, deprecated)
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

  /// Called with the RSSI in dBm; 127 if there was an error.
  ///
  /// Availability: iOS 8.0, macOS 10.13.
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

  /// Called when services were discovered; they are in `services`. `error` is the reason of a failure.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

  /// Called when included services were discovered; they are in `includedServices`. `error` is the reason of a failure.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

  /// Called when characteristics were discovered; they are in `characteristics`. `error` is the reason of a failure.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

  /// Called when a value was read, notified or indicated; these cannot be distinguished.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Called when a write with response was completed. `error` is the peer's error, if any.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Called when `setNotifyValue(_:for:)` was completed; `isNotifying` has the new state. `error` is the reason of a failure.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Called when descriptors were discovered; they are in `descriptors`. `error` is the reason of a failure.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Called when a descriptor was read; `value` has the new value. `error` is the reason of a failure.
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// Called when a descriptor was written. `error` is the peer's error, if any.
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// Called when there is space again after `canSendWriteWithoutResponse` was false.
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

  /// Called when a requested channel was opened; its streams are not open yet. `error` is the reason of a failure.
  ///
  /// Availability: iOS 11.0, macOS 10.13.
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

  /// Called with the result of a distance measurement.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)

  /// Called when a session of measurements has ended.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)
}

extension CBPeripheralDelegate {
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    peripheral.serviceChangeWasNotHandled()
  }
  @available(*, deprecated)
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    // Not through the type of `peripheral` itself, whose method is marked as deprecated because it calls a deprecated one.
    (peripheral as any OlderCallbacks).forwardRSSI(error)
  }
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) {}
  public func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {}
}
