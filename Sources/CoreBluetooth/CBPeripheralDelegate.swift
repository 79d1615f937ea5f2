/// Is told what happens on a peripheral. Every method may be left out.
///
/// Availability: iOS 5.0, macOS 10.7.
public protocol CBPeripheralDelegate: NSObjectProtocol {
  /// The peripheral says that its name is another one now; it is in `name` already.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)

  /// The peer has changed these services: they, and all that belongs to them, are to be discovered anew.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

  /// The answer to `CBPeripheral.readRSSI()` for delegates that do not have `peripheral(_:didReadRSSI:error:)`, which took its
  /// place; the value is in `CBPeripheral.rssi`.
  ///
  /// Availability: iOS 5.0, macOS 10.7; deprecated in iOS 8.0, macOS 10.13.
  @available(*, deprecated)
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

  /// `RSSI` in dBm; 127 where there was an error.
  ///
  /// Availability: iOS 8.0, macOS 10.13.
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

  /// The services that were asked for are in `services`, or `error` says why not.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

  /// The services that another one includes are in its `includedServices`, or `error` says why not.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

  /// The characteristics of a service are in its `characteristics`, or `error` says why not.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

  /// A value was read, notified or indicated: which of them can't be told.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// The peripheral has taken a value that was written with response, or `error` is what it answered instead.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// `setNotifyValue(_:for:)` is done, and `isNotifying` says what holds now; or `error` says why it could not be.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)

  /// The descriptors of a characteristic are in its `descriptors`, or `error` says why not.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

  /// A descriptor was read, and its `value` is new; or `error` says why it could not be.
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// The peripheral has taken the value of a descriptor, or `error` is what it answered instead.
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// There is space again after `canSendWriteWithoutResponse` was false.
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

  /// A channel that was asked for is open; its streams are not yet. Or `error` says why there is none.
  ///
  /// Availability: iOS 11.0, macOS 10.13.
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

  /// A measurement of distance.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)

  /// A session of measurements is over.
  ///
  /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)
}

extension CBPeripheralDelegate {
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    peripheral.nobodyTakesChange()
  }
  @available(*, deprecated)
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    // Not through the type of `peripheral` itself, whose method is marked as deprecated: what it calls is.
    (peripheral as any OlderCallbacks).handOnRSSI(error)
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
