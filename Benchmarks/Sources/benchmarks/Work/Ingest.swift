import BLETestKit
import CoreBluetooth

/// Reports of a controller on their way up to a program that scans, duplicates allowed: host and facade, without the radio.
///
/// However many devices there are, a report has to cost the same: the program keeps all of them, as a scanner's list does.
final class Ingest: Work {
  /// What the program's queue is given at a time.
  private static let batch = 1_000

  private let world = World(seed: 1, keepsPackets: false)
  private let device: Device
  private let central: ScanningProgram
  private let devices: Int
  private let advertisements: [StrayAdvertisement]
  private var next = 0

  /// - Parameter areKnown: whether every device has been met and is shown; nothing is new then.
  init(devices: Int, areKnown: Bool) async throws {
    self.devices = devices
    device = world.makeDevice("scanner")
    central = ScanningProgram(queue: DispatchQueue(label: "program"), options: device.options)
    // At least a batch: few devices are heard often in each.
    advertisements = (0..<max(devices, Self.batch)).map { number in
      let index = number % devices
      let name = Array("device \(index)".utf8)
      return StrayAdvertisement(
        address: UInt64(index) &* 0x9E37_79B9_7F4A_7C15 >> 18,
        data: [2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18, UInt8(name.count + 1), 0x09] + name)
    }
    try await world.wait(within: .seconds(10)) { [central] in central.manager.state == .poweredOn }
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await world.advance(by: .seconds(1))
    guard areKnown else { return }
    _ = try await run(advertisements.count)
    guard central.kept.count == devices else {
      throw Failure(description: "\(central.kept.count) of \(devices) devices were found")
    }
  }

  /// So many reports, of one device after the other.
  func run(_ operations: Int) async throws -> Done {
    let goal = central.discoveries + operations
    var left = operations
    while left > 0 {
      let part = min(left, Self.batch, advertisements.count - next)
      device.overhear(Array(advertisements[next..<(next + part)]))
      next = (next + part) % advertisements.count
      left -= part
      await world.settle()
    }
    guard central.discoveries == goal else {
      throw Failure(description: "\(goal - central.discoveries) reports did not arrive")
    }
    return Done(operations: operations)
  }
}

/// A scanner as an app developer writes it: keeps what it has found, and looks at the name.
///
/// `@unchecked Sendable`: callbacks come on the serial queue; the benchmarks look only while the world stands still.
private final class ScanningProgram: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private(set) var manager: CBCentralManager!
  private(set) var kept: Set<CBPeripheral> = []
  private(set) var discoveries = 0
  private(set) var named = 0

  init(queue: DispatchQueue, options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {}

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    discoveries += 1
    if advertisementData[CBAdvertisementDataLocalNameKey] is String { named += 1 }
    // Kept once; asking the set each time would measure the program.
    if peripheral.delegate == nil {
      peripheral.delegate = self
      kept.insert(peripheral)
    }
  }
}

extension ScanningProgram: CBPeripheralDelegate {}
