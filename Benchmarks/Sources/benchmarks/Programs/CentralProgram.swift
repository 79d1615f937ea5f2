import CoreBluetooth

/// A central as an app developer writes it: connects to the first device it discovers, walks the tree, then does as it is told.
///
/// `@unchecked Sendable`: callbacks come on the serial `queue`; the benchmarks look only while the world stands still.
final class CentralProgram: NSObject, @unchecked Sendable {
  let queue: DispatchQueue
  private(set) var manager: CBCentralManager!
  /// Peripherals found, kept as programs keep them.
  private(set) var found: [CBPeripheral] = []
  private(set) var connected = 0
  private(set) var discoveries = 0
  private(set) var notifying = 0
  /// Descriptors, characteristics and services that are still to be found.
  private(set) var discoveriesLeft = 0
  private(set) var descriptors = 0
  /// Values that came, read or notified.
  private(set) var received = 0
  private var readsLeft = 0
  private var writesLeft = 0
  private var toWrite: (characteristic: CBCharacteristic, value: Data)?
  var connectsToAll = true

  init(queue: DispatchQueue, options: [String: Any]) {
    self.queue = queue
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  /// Walks the whole tree of `peripheral`; over when `discoveriesLeft` is nought.
  func discoverEverything(of peripheral: CBPeripheral) {
    discoveriesLeft += 1
    descriptors = 0
    peripheral.discoverServices(nil)
  }

  func characteristic(_ uuid: CBUUID, of peripheral: CBPeripheral) -> CBCharacteristic? {
    for service in peripheral.services ?? [] {
      if let found = service.characteristics?.first(where: { $0.uuid == uuid }) { return found }
    }
    return nil
  }

  /// Reads so many times, each when the one before is answered.
  func read(_ characteristic: CBCharacteristic, of peripheral: CBPeripheral, times: Int) {
    readsLeft = times - 1
    peripheral.readValue(for: characteristic)
  }

  /// Writes without response so many times, as fast as the queue takes them.
  func write(_ value: Data, to characteristic: CBCharacteristic, of peripheral: CBPeripheral, times: Int) {
    toWrite = (characteristic, value)
    writesLeft = times
    push(to: peripheral)
  }

  private func push(to peripheral: CBPeripheral) {
    guard let toWrite else { return }
    while writesLeft > 0, peripheral.canSendWriteWithoutResponse {
      peripheral.writeValue(toWrite.value, for: toWrite.characteristic, type: .withoutResponse)
      writesLeft -= 1
    }
  }
}

extension CentralProgram: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    discoveries += 1
    guard connectsToAll, peripheral.state == .disconnected else { return }
    found.append(peripheral)
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    connected += 1
  }
}

extension CentralProgram: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    discoveriesLeft -= 1
    for service in peripheral.services ?? [] {
      discoveriesLeft += 1
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    discoveriesLeft -= 1
    for characteristic in service.characteristics ?? [] {
      discoveriesLeft += 1
      peripheral.discoverDescriptors(for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    discoveriesLeft -= 1
    descriptors += characteristic.descriptors?.count ?? 0
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if characteristic.isNotifying { notifying += 1 }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    received += 1
    if readsLeft > 0 {
      readsLeft -= 1
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { push(to: peripheral) }
}
