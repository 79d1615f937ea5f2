#if canImport(BLETestKit)
  import BLETestKit
  import CoreBluetooth
  import Foundation
  import Thermostat

  extension SimulatedThermostat: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      subscribers = [:]
      unsent = []
      guard peripheral.state == .poweredOn else { return }
      let service = CBMutableService(type: Profile.service, primary: true)
      service.characteristics = [temperatureValue, targetValue, childLock, updateControl, updateData]
      peripheral.removeAllServices()
      peripheral.add(service)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
      peripheral.startAdvertising([
        CBAdvertisementDataServiceUUIDsKey: [Profile.service], CBAdvertisementDataLocalNameKey: name,
      ])
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
      subscribers[characteristic.uuid, default: []].insert(central.identifier)
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
      subscribers[characteristic.uuid]?.remove(central.identifier)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
      while let (value, characteristic) = unsent.first {
        guard peripheral.updateValue(value, for: characteristic, onSubscribedCentrals: nil) else { return }
        unsent.removeFirst()
      }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
      let value = TemperatureValue.octets(request.characteristic.uuid == Profile.target ? target : measured)
      guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
      request.value = value.dropFirst(request.offset)
      peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
      for request in requests { receive(request.value ?? Data(), request) }
    }

    private func receive(_ value: Data, _ request: CBATTRequest) {
      writes += 1
      switch request.characteristic.uuid {
      case Profile.target:
        guard let hundredths = TemperatureValue.hundredths(value) else { return refuse(request) }
        set(target: hundredths)
        let answer = Answer(manager: manager, request: request)
        _ = clock.schedule(after: Self.storing, on: queue) { answer.send() }
      case Profile.childLock:
        if set(lock: value) { manager.respond(to: request, withResult: .success) } else { refuse(request) }
      case Profile.updateControl:
        guard let command = UpdateCommand(value) else { return refuse(request) }
        manager.respond(to: request, withResult: .success)
        notify(store.begin(command).octets, of: updateControl)
      case Profile.updateData:
        if let answer = store.add(value) { notify(answer.octets, of: updateControl) }
      default: refuse(request)
      }
    }

    private func refuse(_ request: CBATTRequest) {
      manager.respond(to: request, withResult: .invalidAttributeValueLength)
    }
  }

  /// `@unchecked Sendable`: made and used on the thermostat's queue.
  private struct Answer: @unchecked Sendable {
    let manager: CBPeripheralManager
    let request: CBATTRequest
    func send() { manager.respond(to: request, withResult: .success) }
  }
#endif
