#if canImport(BLETestKit)
  import BLETestKit
  import CoreBluetooth
  import Foundation
  import Thermostat

  /// The device's side of the data sheet: a program with a `CBPeripheralManager`, on a device of a world.
  ///
  /// `@unchecked Sendable`: used on its serial queue only, and looked at while the world's clock stands still.
  final class SimulatedThermostat: NSObject, @unchecked Sendable {
    let name: String
    let queue: DispatchQueue
    let clock: WorldClock
    var manager: CBPeripheralManager!

    private(set) var target: Int16 = 2_000
    private(set) var measured: Int16 = 1_950
    private(set) var isLocked = false
    var store = ImageStore()
    /// The identifiers of the centrals that have subscribed, by characteristic.
    var subscribers: [CBUUID: Set<UUID>] = [:]
    /// The number of values that were written to it.
    var writes = 0
    /// What did not fit into the system's queue.
    var unsent: [(Data, CBMutableCharacteristic)] = []

    let temperatureValue = CBMutableCharacteristic(
      type: Profile.temperature, properties: [.read, .notify], value: nil, permissions: .readable)
    let targetValue = CBMutableCharacteristic(
      type: Profile.target, properties: [.read, .write, .notify], value: nil, permissions: [.readable, .writeable])
    let childLock = CBMutableCharacteristic(
      type: Profile.childLock, properties: .write, value: nil, permissions: .writeEncryptionRequired)
    let updateControl = CBMutableCharacteristic(
      type: Profile.updateControl, properties: [.write, .notify], value: nil, permissions: .writeable)
    let updateData = CBMutableCharacteristic(
      type: Profile.updateData, properties: .writeWithoutResponse, value: nil, permissions: .writeable)

    /// How long it takes to store a setting, after which it answers a write.
    static let storing = Duration.milliseconds(60)

    init(_ name: String, options: [String: Any], clock: WorldClock) {
      self.name = name
      self.clock = clock
      queue = DispatchQueue(label: "thermostat \(name)")
      super.init()
      queue.sync { manager = CBPeripheralManager(delegate: self, queue: queue, options: options) }
      measureAgainLater()
    }

    /// Whether somebody is subscribed to what it measures.
    var isWatched: Bool { subscribers[Profile.temperature]?.isEmpty == false }

    /// Somebody turns the knob.
    func turnKnob(to hundredths: Int16) {
      queue.async { [self] in if !isLocked { set(target: hundredths) } }
    }

    func set(target hundredths: Int16) {
      target = hundredths
      notify(TemperatureValue.octets(hundredths), of: targetValue)
    }

    func set(lock octets: Data) -> Bool {
      guard octets.count == 1, let octet = octets.first, octet <= 1 else { return false }
      isLocked = octet == 1
      return true
    }

    func notify(_ value: Data, of characteristic: CBMutableCharacteristic) {
      guard unsent.isEmpty, manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil) else {
        return unsent.append((value, characteristic))
      }
    }

    private func measureAgainLater() {
      _ = clock.schedule(after: .seconds(15), on: queue) { [weak self] in
        guard let self else { return }
        measured += target > measured ? 25 : -25
        if isWatched { notify(TemperatureValue.octets(measured), of: temperatureValue) }
        measureAgainLater()
      }
    }
  }
#endif
