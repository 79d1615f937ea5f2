import BLETestKit
import CoreBluetooth

/// Reports of a controller on their way up to a program that scans, duplicates allowed: host and facade, without the radio.
///
/// However many devices there are, a report has to cost the same: the program keeps all of them, as a scanner's list does.
enum Ingest {
  /// What the program's queue is given at a time.
  private static let batch = 1_000

  static func reports(from devices: Int) -> @Sendable (Effort) async throws -> Measurement {
    { effort in
      let scan = try await Scan(devices: devices)
      // Everybody was met and is shown: from here on nothing is new.
      let before = ProcessUsage.residentKibibytes
      try await scan.hear(max(devices, batch))
      let kibibytes = (ProcessUsage.residentKibibytes - before) / Double(devices)
      guard scan.central.kept.count == devices else {
        throw Failure(description: "\(scan.central.kept.count) of \(devices) devices were found")
      }
      let operations = effort.operations(100_000)
      let seconds = try await effort.medianCPUSeconds { try await scan.hear(operations) }
      let allocations = try await ProcessUsage.allocations { try await scan.hear(operations) }
      return Measurement(
        value: Double(operations) / seconds, unit: .rate, allocations: allocations / Double(operations),
        deviceKibibytes: devices >= 1_000 ? kibibytes : nil)
    }
  }

  private final class Scan {
    let world = World(seed: 1, keepsPackets: false)
    let device: Device
    let central: ScanningProgram
    private let advertisements: [StrayAdvertisement]
    private var next = 0

    init(devices: Int) async throws {
      device = world.makeDevice("scanner")
      central = ScanningProgram(queue: DispatchQueue(label: "program"), options: device.options)
      // At least a batch: few devices are heard often in each.
      advertisements = (0..<max(devices, batch)).map { number in
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
    }

    /// So many reports, of one device after the other.
    func hear(_ count: Int) async throws {
      let goal = central.discoveries + count
      var left = count
      while left > 0 {
        let part = min(left, batch, advertisements.count - next)
        device.overhear(Array(advertisements[next..<(next + part)]))
        next = (next + part) % advertisements.count
        left -= part
        await world.settle()
      }
      guard central.discoveries == goal else {
        throw Failure(description: "\(goal - central.discoveries) reports did not arrive")
      }
    }
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
