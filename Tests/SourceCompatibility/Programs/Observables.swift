import CoreBluetooth

/// A small reactive layer: subjects, subscriptions and operators.
final class Subject<Value> {
  private var observers: [Int: (Value) -> Void] = [:]
  private var next = 0

  func subscribe(_ observer: @escaping (Value) -> Void) -> () -> Void {
    next += 1
    let number = next
    observers[number] = observer
    return { [weak self] in self?.observers[number] = nil }
  }

  func send(_ value: Value) { observers.values.forEach { $0(value) } }

  func filter(_ isIncluded: @escaping (Value) -> Bool) -> Subject<Value> {
    let result = Subject<Value>()
    _ = subscribe { if isIncluded($0) { result.send($0) } }
    return result
  }
}

final class ReactiveCentral: NSObject, CBCentralManagerDelegate {
  typealias Sighting = (peripheral: CBPeripheral, data: [String: Any], signal: NSNumber)
  let state = Subject<CBManagerState>()
  let sightings = Subject<Sighting>()

  func centralManagerDidUpdateState(_ central: CBCentralManager) { state.send(central.state) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    sightings.send((peripheral, advertisementData, RSSI))
  }
}

final class Observables: Program {
  private var names: [String] = []

  func run(on stage: any Stage) async throws {
    let wanted = Sensor("SMART_1", options: stage.options("one"))
    let other = Sensor("other", options: stage.options("two"))
    let reactive = ReactiveCentral()
    let manager = CBCentralManager(
      delegate: reactive, queue: DispatchQueue(label: "reactive"), options: stage.options("phone"))
    let stop = reactive.state.subscribe { [weak manager] state in
      if state == .poweredOn { manager?.scanForPeripherals(withServices: nil) }
    }
    let smart = reactive.sightings.filter {
      ($0.data[CBAdvertisementDataLocalNameKey] as? String)?.hasPrefix("SMART_") == true
    }
    let end = smart.subscribe { [unowned self] in self.names.append($0.peripheral.name ?? "") }
    try await stage.wait { !self.names.isEmpty }
    await stage.pass(2)
    try check(Set(names) == ["SMART_1"])
    stop()
    end()
    withExtendedLifetime((wanted, other)) {}
  }
}
