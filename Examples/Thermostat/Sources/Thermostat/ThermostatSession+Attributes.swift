import CoreBluetooth
import Foundation

extension ThermostatSession: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard error == nil, let service = peripheral.services?.first(where: { $0.uuid == Profile.service }) else {
      return hangUp()
    }
    peripheral.discoverCharacteristics(Profile.characteristics, for: service)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard error == nil, let characteristics = service.characteristics else { return hangUp() }
    keep(characteristics)
    subscribe()
  }

  /// The thermostat has changed its services.
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    guard phase == .preparing || phase == .ready else { return }
    phase = .preparing
    leaveAttributes()
    peripheral.discoverServices([Profile.service])
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard error == nil, characteristic.isNotifying else { return hangUp() }
    missingSubscriptions.remove(characteristic.uuid)
    becomeReadyIfSubscribed()
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard error == nil, let octets = characteristic.value else { return }
    switch characteristic.uuid {
    case Profile.temperature: temperature = TemperatureValue.hundredths(octets) ?? temperature
    case Profile.target: target = TemperatureValue.hundredths(octets) ?? target
    case Profile.updateControl: UpdateAnswer(octets).map(receive)
    default: return
    }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    receiveAnswer(of: characteristic.uuid, error)
  }

  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { sendFragments() }
}
