import BLETestKit
import CoreBluetooth
import Foundation
import Measurements
import Testing

/// Ten thousand repetitions leave nothing behind, once the threads' caches are full: Dispatch and the C library keep freed
/// blocks for each thread, and it takes some ten thousand repetitions until each of them has its maximum. Each test measures
/// in a process of its own, where no other test allocates.
@Suite(.enabled(if: Allocations.areKnown, "a sanitizer has an allocator of its own")) struct MemoryTests {
  @Test("10,000 times connect, discover, read, disconnect leave nothing behind")
  func tenThousandTimesConnectDiscover() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let world = World(seed: 1, keepsPackets: false)
      let device = LampProgram(options: world.makeDevice("lamp").options)
      let cycles = ConnectionCycles(options: world.makeDevice("phone").options)
      try await Footprint.compare("connections") { goal in
        cycles.goal = goal
        try await world.wait(within: .seconds(1_000_000)) { cycles.isResting && cycles.count >= goal }
      }
      #expect(cycles.reads == cycles.count)
      withExtendedLifetime(device) {}
    }
    print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "")
  }

  @Test("A leak in each repetition is found, and a rare allocation is not taken for one")
  func aLeakInEachRepetitionIsFound() async throws {
    await #expect(processExitsWith: .success) {
      var kept: [UnsafeMutableRawPointer?] = []
      kept.reserveCapacity(5_000)
      let growth = await Allocations.leftBehind(byEachOf: 800) { goal in
        while kept.count < goal { kept.append(malloc(64)) }
        if goal % 300 == 0 { kept.append(malloc(100_000)) }
      }
      #expect((60...90).contains(growth.octets) && growth.total > 200_000, "\(growth)")
      // Also where it runs longer; and a cache is full by then.
      kept = []
      kept.reserveCapacity(5_000)
      let still = await Allocations.leftBehind(byEachOf: 800, atMost: 10) { goal in
        while kept.count < goal { kept.append(malloc(64)) }
      }
      #expect((60...90).contains(still.octets) && kept.count == 3_200, "\(still)")
      kept = []
      kept.reserveCapacity(5_000)
      let filled = await Allocations.leftBehind(byEachOf: 800, atMost: 10) { goal in
        while kept.count < min(goal, 1_000) { kept.append(malloc(64)) }
      }
      #expect(filled.octets < 1, "\(filled)")
      let none = await Allocations.leftBehind(byEachOf: 800) { _ in free(malloc(64)) }
      #expect(none.octets < 1, "\(none)")
    }
  }

  @Test("10,000 managers of both kinds, created, used and released, leave nothing behind")
  func tenThousandManagersOfBothKinds() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let world = World(seed: 1, keepsPackets: false)
      let (phone, lamp) = (world.makeDevice("phone"), world.makeDevice("lamp"))
      var count = 0
      var sightings = 0
      try await Footprint.compare("managers") { goal in
        while count < goal {
          let device = LampProgram(options: lamp.options)
          let scanner = ScanningProgram(options: phone.options)
          try await world.wait(within: .seconds(60)) { scanner.sightings > 0 }
          sightings += scanner.sightings
          count += 1
          withExtendedLifetime(device) {}
        }
        await world.settle()
      }
      #expect(sightings >= count)
    }
    print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "")
  }
}

private enum Footprint {
  /// Lets `work` reach its ten-thousandth and its twenty-thousandth repetition, and compares the memory.
  static func compare(_ name: String, _ work: (Int) async throws -> Void) async throws {
    try await work(10_000)
    let first = Double(Allocations.resident)
    let growth = try await Allocations.leftBehind(byEachOf: 10_000) { try await work(10_000 + $0) }
    let last = Double(Allocations.resident)
    func kibibytes(_ octets: Double) -> String { String(format: "%.0f KiB", octets / 1024) }
    print("memory of \(name): \(growth);", terminator: " ")
    print("resident \(kibibytes(first)) after 10,000, \(kibibytes(last)) after 20,000,", terminator: " ")
    print(String(format: "%+.2f %%", (last / first - 1) * 100))
    #expect(growth.octets < 150 && growth.total < 1_500_000, "\(growth)")
    #expect(last <= first * 1.05)
  }
}

/// A lamp: one service with one value to read, advertised.
///
/// `@unchecked Sendable`, like the others: callbacks come on the serial queue, and the tests look while the world is not
/// running.
private final class LampProgram: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private var manager: CBPeripheralManager!

  init(options: [String: Any]) {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "lamp"), options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(type: CBUUID(string: "FFE1"), properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "lamp"])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Data("on".utf8)
    peripheral.respond(to: request, withResult: .success)
  }
}

private final class ScanningProgram: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private var manager: CBCentralManager!
  private(set) var sightings = 0

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "scanner"), options: options)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    sightings += 1
  }
}

/// Connects, discovers, reads, disconnects, and starts over, until it has done so often enough.
private final class ConnectionCycles: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private var manager: CBCentralManager!
  private var lamp: CBPeripheral?
  private(set) var count = 0
  private(set) var reads = 0
  private(set) var isResting = false
  /// Set while the world is not running.
  var goal = 0 {
    didSet { if isResting, count < goal { connect() } }
  }

  init(options: [String: Any]) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "phone"), options: options)
  }

  private func connect() {
    isResting = false
    if let lamp { manager.connect(lamp) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi: NSNumber
  ) {
    guard lamp == nil else { return }
    lamp = peripheral
    central.stopScan()
    connect()
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if characteristic.value == Data("on".utf8) { reads += 1 }
    manager.cancelPeripheralConnection(peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    count += 1
    if count < goal { connect() } else { isResting = true }
  }
}
