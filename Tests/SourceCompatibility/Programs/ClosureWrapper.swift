import CoreBluetooth

/// Hides the delegates behind closures.
final class BluetoothService: NSObject, CBCentralManagerDelegate {
  var onState: ((CBManagerState) -> Void)?
  var onFound: ((CBPeripheral, Int) -> Void)?
  var onConnected: ((Result<CBPeripheral, Error>) -> Void)?
  private lazy var manager = CBCentralManager(delegate: self, queue: queue, options: options)
  private let queue = DispatchQueue(label: "service")
  private let options: [String: Any]

  init(options: [String: Any]) {
    self.options = options
    super.init()
  }

  func start() { _ = manager }
  func scan() { manager.scanForPeripherals(withServices: nil, options: nil) }
  func connect(_ peripheral: CBPeripheral) { manager.connect(peripheral, options: nil) }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { onState?(central.state) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    onFound?(peripheral, RSSI.intValue)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    onConnected?(.success(peripheral))
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
    onConnected?(.failure(error ?? CBError(.connectionFailed)))
  }
}

final class ClosureWrapper: Program {
  private var kept: CBPeripheral?
  private var connected: String?

  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Closed", options: stage.options("sensor"))
    let service = BluetoothService(options: stage.options("phone"))
    service.onState = { [weak service] state in if state == .poweredOn { service?.scan() } }
    service.onFound = { [unowned self, weak service] peripheral, signal in
      guard self.kept == nil, signal < 20 else { return }
      self.kept = peripheral
      service?.connect(peripheral)
    }
    service.onConnected = { [unowned self] result in self.connected = (try? result.get())?.name }
    service.start()
    try await stage.wait { self.connected != nil }
    try check(connected == "Closed")
    withExtendedLifetime(sensor) {}
  }
}
