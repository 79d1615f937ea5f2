import BLECapture
import BLECore
import BLETestKit
import CoreBluetooth
import Testing

@Suite("A world of devices")
struct WorldTests {
  /// Scans, connects to each advertiser it finds, and disconnects again.
  ///
  /// `@unchecked Sendable`: used on its serial queue only, and looked at while the world is not running.
  private final class Visitor: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    var manager: CBCentralManager!
    var met: [CBPeripheral] = []
    init(_ device: Device) {
      super.init()
      manager = CBCentralManager(
        delegate: self, queue: DispatchQueue(label: "visitor"), options: device.options)
    }
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      guard !met.contains(peripheral) else { return }
      met.append(peripheral)
      central.connect(peripheral)
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      central.cancelPeripheralConnection(peripheral)
    }
  }

  private final class Host: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    var manager: CBPeripheralManager!
    let name: String
    init(_ device: Device) {
      name = device.name
      super.init()
      manager = CBPeripheralManager(
        delegate: self, queue: DispatchQueue(label: "host"), options: device.options)
    }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      guard peripheral.state == .poweredOn else { return }
      peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }
  }

  private func run(seed: UInt64) async -> [UInt8] {
    let world = World(seed: seed)
    let hosts = (0..<5).map { Host(world.makeDevice("host \($0)", at: Position(x: Double($0)))) }
    let visitors = (0..<3).map { Visitor(world.makeDevice("visitor \($0)")) }
    await world.advance(by: .seconds(10))
    #expect(visitors.allSatisfy { $0.met.count == hosts.count })
    return world.capture
  }

  @Test("the same seed gives the same capture, octet for octet, and another seed another one")
  func determinism() async {
    let first = await run(seed: 7)
    let second = await run(seed: 7)
    let other = await run(seed: 8)
    #expect(first == second)
    #expect(first != other)
    #expect(first.count > 10_000)
    print("capture of seed 7: \(first.count) octets, checksum \(checksum(first))")
  }

  private func checksum(_ octets: [UInt8]) -> UInt64 {
    octets.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  @Test("a capture may be read while the world runs, as when one of several cases fails")
  func lookingWhileRunning() async throws {
    let world = World(seed: 3)
    let (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
    let programs = (Visitor(phone), Host(sensor))
    let looking = Task.detached {
      var count = 0
      while !Task.isCancelled { count = max(count, world.capture.count) }
      return count
    }
    for _ in 0..<40 { await world.advance(by: .milliseconds(250)) }
    looking.cancel()
    let seen = await looking.value
    #expect(seen > 0 && seen <= world.capture.count)
    withExtendedLifetime(programs) {}
  }

  @Test("a capture can be read back")
  func reading() async throws {
    let octets = await run(seed: 9)
    let reader = PcapNGReader(CaptureOctets(octets))
    var count = 0
    while let packet = try reader.next() {
      if case .hci = packet.content { count += 1 }
    }
    #expect(count > 200)
  }

  @Test("a wait that times out reports how long it waited and the seed")
  func waiting() async throws {
    let world = World(seed: 11)
    await #expect(throws: WaitError.self) {
      try await world.wait(within: .seconds(3)) { false }
    }
    #expect(world.now == .seconds(3))
  }

  @Test("a thousand devices that advertise every 100 ms are all found by one scanner")
  func thousand() async throws {
    let world = World(keepsPackets: false)
    let hosts = (0..<1_000).map {
      Host(world.makeDevice("host \($0)", at: Position(x: Double($0 % 40), y: Double($0 / 40))))
    }
    let phone = world.makeDevice("phone")
    let listener = Listener(phone)
    await world.advance(by: .seconds(10))
    #expect(listener.names.count == 1_000)
    withExtendedLifetime(hosts) {}
  }

  private final class Listener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    var manager: CBCentralManager!
    var names: Set<String> = []
    init(_ device: Device) {
      super.init()
      manager = CBCentralManager(
        delegate: self, queue: DispatchQueue(label: "listener"), options: device.options)
    }
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String { names.insert(name) }
    }
  }
}
