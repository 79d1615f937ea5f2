import BLETestKit
import CMalloc
import CoreBluetooth
import Glibc
import Testing

/// What a process holds after ten thousand repetitions is what it held after the first hundred. Each measures in a process of its
/// own, where nobody else asks for memory.
@Suite(.enabled(if: !Footprint.isSanitized, "a sanitizer has an allocator of its own")) struct MemoryTests {
  @Test func `10,000 times connect, discover, read, disconnect leave nothing behind`() async throws {
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

  @Test func `10,000 managers of both kinds, created, used and released, leave nothing behind`() async throws {
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

/// The memory of this process.
private struct Footprint {
  /// Octets in blocks that were asked for and not freed.
  let live: Double
  /// Octets of resident pages, after what was freed has been given back.
  let resident: Double

  static var isSanitized: Bool {
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
  }

  static var now: Footprint {
    malloc_trim(0)
    var pages = 0.0
    if let file = fopen("/proc/self/statm", "r") {
      defer { fclose(file) }
      var (size, resident) = (0, 0)
      let read = withUnsafeMutablePointer(to: &size) { size in
        withUnsafeMutablePointer(to: &resident) { resident in
          withVaList([size, resident]) { vfscanf(file, "%ld %ld", $0) }
        }
      }
      if read == 2 { pages = Double(resident) }
    }
    return Footprint(live: Double(live_octets()), resident: pages * Double(sysconf(Int32(_SC_PAGESIZE))))
  }

  /// What may come on top after the hundredth repetition, however many follow: blocks that Dispatch keeps for each of its threads
  /// (64 octets, 1,024 of them), and tables that are indexed by connection handle. 150 octets left behind each time are more.
  private static let bounded = 1_500_000.0

  /// Lets `work` come to its hundredth and to its ten-thousandth repetition, and compares what it holds.
  static func compare(_ name: String, _ work: (Int) async throws -> Void) async throws {
    try await work(100)
    let first = now
    try await work(10_000)
    let last = now
    func kibibytes(_ octets: Double) -> String { String(format: "%.0f KiB", octets / 1024) }
    func change(_ first: Double, _ last: Double) -> String { String(format: "%+.2f %%", (last / first - 1) * 100) }
    print(
      "memory of \(name): live \(kibibytes(first.live)) after 100, \(kibibytes(last.live)) after 10,000,",
      terminator: " ")
    print(
      "\(change(first.live, last.live)); resident \(kibibytes(first.resident)), \(kibibytes(last.resident)),",
      terminator: " ")
    print(change(first.resident, last.resident))
    #expect(last.live - first.live < bounded)
    #expect(last.resident <= first.resident * 1.05)
  }
}

/// A lamp: one service with one value to read, advertised.
///
/// `@unchecked Sendable`, like the others: callbacks come on the serial queue, and the tests look while the world stands still.
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

/// Connects, discovers, reads, disconnects, and begins anew, until it has done so often enough.
private final class ConnectionCycles: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private var manager: CBCentralManager!
  private var lamp: CBPeripheral?
  private(set) var count = 0
  private(set) var reads = 0
  private(set) var isResting = false
  /// Set while the world stands still.
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
