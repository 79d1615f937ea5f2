import BLESession
import BLETestKit
import CoreBluetooth

/// Reports of a controller on their way up to a program that scans, duplicates allowed: host and facade, without the radio.
///
/// However many devices there are, a report has to cost the same: the program keeps all of them, as a scanner's list does.
final class Ingest: Work {
  private let strays: Strays
  private let central: ScanningProgram

  /// - Parameter areKnown: whether every device has been met and is shown; nothing is new then.
  init(devices: Int, areKnown: Bool) async throws {
    strays = Strays(devices)
    central = ScanningProgram(queue: DispatchQueue(label: "program"), options: strays.scanner.options)
    try await strays.world.wait(within: .seconds(10)) { [central] in central.manager.state == .poweredOn }
    central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await strays.world.advance(by: .seconds(1))
    guard areKnown else { return }
    _ = try await run(strays.all)
    guard central.kept.count == devices else {
      throw Failure(description: "\(central.kept.count) of \(devices) devices were found")
    }
  }

  func run(_ operations: Int) async throws -> Done {
    let goal = central.discoveries + operations
    await strays.report(operations)
    guard central.discoveries == goal else {
      throw Failure(description: "\(goal - central.discoveries) reports did not arrive")
    }
    return Done(operations: operations)
  }
}

/// The same reports up to a list of sessions', such as tables on screens have.
final class Listing: Work {
  private let strays: Strays
  private let list: DeviceList
  private let isEachNew: Bool

  /// - Parameter isEachNew: whether twice as many devices are heard as the list has places, one after the other: each takes the place of another one.
  init(places: Int, isEachNew: Bool = false) async throws {
    self.isEachNew = isEachNew
    strays = Strays(isEachNew ? 2 * places : places)
    let central = Central(options: strays.scanner.options, clock: strays.world.clock)
    await strays.world.advance(by: .seconds(1))
    list = central.list(rules: DeviceListRules(capacity: places))
    await strays.world.advance(by: .seconds(1))
    _ = try await run(strays.all)
    let listed = await list.devices.count
    guard listed == places else { throw Failure(description: "\(listed) of \(places) devices are listed") }
  }

  private func reports() async -> Int { await list.devices.reduce(0) { $0 + $1.advertisements } }

  func run(_ operations: Int) async throws -> Done {
    let before = await reports()
    await strays.report(operations)
    let arrived = await reports() - before
    // Of a device that was replaced nothing is counted any more.
    guard isEachNew || arrived == operations else {
      throw Failure(description: "\(arrived) of \(operations) reports arrived")
    }
    return Done(operations: operations)
  }
}

extension WorldClock: @retroactive SessionClock {}
extension WorldTimer: @retroactive SessionTimer {}

/// Advertisers without a radio, which are reported to one device.
private final class Strays {
  /// What the program's queue is given at a time.
  private static let batch = 1_000

  let world = World(seed: 1, keepsPackets: false)
  let scanner: Device
  private let advertisements: [StrayAdvertisement]
  private var next = 0

  init(_ devices: Int) {
    scanner = world.makeDevice("scanner")
    // At least a batch: few devices are heard often in each.
    advertisements = (0..<max(devices, Self.batch)).map { number in
      let index = number % devices
      let name = Array("device \(index)".utf8)
      return StrayAdvertisement(
        address: UInt64(index) &* 0x9E37_79B9_7F4A_7C15 >> 18,
        data: [2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18, UInt8(name.count + 1), 0x09] + name)
    }
  }

  /// So many reports are of each device one at least.
  var all: Int { advertisements.count }

  /// So many reports, of one device after the other.
  func report(_ count: Int) async {
    var left = count
    while left > 0 {
      let part = min(left, Self.batch, advertisements.count - next)
      scanner.overhear(Array(advertisements[next..<(next + part)]))
      next = (next + part) % advertisements.count
      left -= part
      await world.settle()
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
