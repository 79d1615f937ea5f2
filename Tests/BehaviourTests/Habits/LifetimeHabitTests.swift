import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Habits of apps: order, delegates and deinit", .keepsCapture)
struct LifetimeHabitTests {
  /// Owns its manager, finds a device, and releases everything when asked to or when it is deallocated.
  ///
  /// `@unchecked Sendable`: callbacks come on the serial queue, and the test looks only while the world is not running.
  private final class Owner: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    var manager: CBCentralManager?
    var found: CBPeripheral?
    var sightings = 0
    var onSighting: ((Owner) -> Void)?

    init(_ options: [String: Any]) {
      super.init()
      manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "owner"), options: options)
    }

    deinit {
      guard let manager, let found else { return }
      found.delegate = nil
      manager.stopScan()
      manager.cancelPeripheralConnection(found)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      sightings += 1
      onSighting?(self)
      guard found == nil, let manager else { return }
      found = peripheral
      peripheral.delegate = self
      manager.connect(peripheral)
    }
  }

  @Test("I11.habits an app that ends its connection in deinit ends it, without a log line")
  func endedInDeinit() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let phone = world.makeDevice("phone")
    // Another app on the same phone, which is notified of the connection and its end.
    let other = CentralApp(phone.options)
    await world.settle()
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    let identifier = try await Meeting.find("device", by: other, in: world).identifier
    other.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [identifier]])
    var owner: Owner? = Owner(phone.options)
    try await world.wait(within: .seconds(10)) { owner?.found?.state == .connected }
    await world.settle()
    other.forget()
    owner = nil
    try await world.wait(within: .seconds(2)) { !other.told.isEmpty }
    #expect(other.told.map { $0.prefix(7) } == ["event 0"])
    #expect(!world.logLines.contains { $0.level >= .warning })
  }

  @Test("I11.habits a manager that is released inside a callback makes no more calls, not even pending ones")
  func releasedInCallback() async {
    let world = World()
    let phone = world.makeDevice("phone")
    let owner = Owner(phone.options)
    owner.onSighting = { $0.manager = nil }
    await world.settle()
    // All received in one instant: their calls are pending together.
    phone.overhear((0..<5).map { StrayAdvertisement(address: 0xC000_0000_0000 + $0, data: Advertisement.named("tag")) })
    await world.settle()
    #expect(owner.sightings == 1 && owner.found == nil)
  }

  @Test("I11.habits a delegate that is replaced inside a callback gets no later calls; the new one does")
  func replaced() async throws {
    let line = CBMutableCharacteristic("FF22", .notify)
    let pair = try await Pair.start([CBMutableService("FF11", [line])])
    try await pair.subscribe("FF22")
    pair.central.forget()
    let other = CentralApp(pair.world.makeDevice("other").options)
    await pair.world.settle()
    other.forget()
    pair.central.reactions["value"] = { pair.peripheral.delegate = other }
    for number in 0..<3 {
      #expect(pair.publisher.manager.updateValue(Data([UInt8(number)]), for: line, onSubscribedCentrals: nil))
    }
    await pair.world.settle()
    #expect(pair.central.values == [Data([0])] && other.values == [Data([1]), Data([2])])
  }

  @Test("I11.habits operations requested together are answered in order, across characteristics and kinds")
  func order() async throws {
    let lines = ["FF21", "FF22", "FF23"].map {
      CBMutableCharacteristic($0, [.read, .write, .notify], [.readable, .writeable])
    }
    let pair = try await Pair.start([CBMutableService("FF11", lines)])
    pair.publisher.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .success)
      manager.updateValue(Data([7]), for: lines[1], onSubscribedCentrals: nil)
    }
    pair.publisher.value = Data([1])
    let remote = try ["FF21", "FF22", "FF23"].map { try pair.characteristic($0) }
    pair.peripheral.readValue(for: remote[0])
    pair.peripheral.setNotifyValue(true, for: remote[1])
    pair.peripheral.writeValue(Data([2]), for: remote[2], type: .withResponse)
    pair.peripheral.readValue(for: remote[2])
    pair.peripheral.setNotifyValue(false, for: remote[1])
    await pair.world.settle()
    let asked = pair.central.told.filter { $0 != "value FF22 07" }
    #expect(asked == ["value FF21 01", "notifying FF22 true", "wrote FF23", "value FF23 01", "notifying FF22 false"])
    let told = pair.central.told
    let value = try #require(told.firstIndex(of: "value FF22 07"))
    let on = try #require(told.firstIndex(of: "notifying FF22 true"))
    #expect(value > on)
  }

  @Test("I11.habits callbacks on the main queue are on the main actor, whichever thread it is")
  func mainActor() async throws {
    let (world, publisher) = await World.withPublisher()
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    let central = CentralApp(world.makeDevice("phone").options, queue: nil)
    var calls = 0
    central.onSighting = { _ in
      dispatchPrecondition(condition: .onQueue(.main))
      MainActor.assumeIsolated { calls += 1 }
    }
    _ = try await Meeting.find("device", by: central, in: world)
    #expect(calls > 0)
  }
}
