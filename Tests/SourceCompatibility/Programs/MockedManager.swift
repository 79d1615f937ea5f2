import CoreBluetooth

/// A mock behind a protocol of the application, without any radio.
protocol Scanning: AnyObject {
  var isScanning: Bool { get }
  func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]?)
  func stopScan()
}

extension CBCentralManager: Scanning {}

final class MockScanner: NSObject, Scanning {
  private(set) var isScanning = false
  private(set) var asked: [[CBUUID]?] = []

  func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    asked.append(serviceUUIDs)
    isScanning = true
  }

  func stopScan() { isScanning = false }
}

/// A mock that is a manager, with its initializers.
final class MockCentral: CBCentralManager {
  override var state: CBManagerState { .poweredOff }
  override func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {}
}

final class MockedManager: Program {
  private func find(_ service: String, with scanner: Scanning) {
    if scanner.isScanning { scanner.stopScan() }
    scanner.scanForPeripherals(withServices: [CBUUID(string: service)], options: nil)
  }

  func run(on stage: any Stage) async throws {
    let mock = MockScanner()
    find("180D", with: mock)
    find("180F", with: mock)
    try check(mock.isScanning && mock.asked.count == 2)
    try check(mock.asked.last == [CBUUID(string: "180F")])
    let real = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "real"), options: stage.options("phone"))
    try await stage.wait { real.state == .poweredOn }
    find("180D", with: real)
    try check(real.isScanning)
    let plain: () -> MockCentral = { MockCentral() }
    let onMainQueue = { MockCentral(delegate: nil, queue: nil) }
    _ = (plain, onMainQueue)
    let central: CBCentralManager = MockCentral(delegate: nil, queue: nil, options: stage.options("phone"))
    find("180D", with: central)
    try check(central.state == .poweredOff && !central.isScanning)
  }
}
