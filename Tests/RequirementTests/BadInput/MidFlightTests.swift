import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// Delegates, managers and peripherals that are released during an operation, and callbacks that call every method.
@Suite("Bad input: during operations", .keepsCapture)
struct MidFlightTests {
  /// Calls every method of a connected peripheral, without waiting between them.
  private static func ask(_ talk: Conversation) throws {
    let line = try talk.characteristic("FF22")
    talk.found.readRSSI()
    talk.found.discoverServices(nil)
    talk.found.readValue(for: line)
    talk.found.writeValue(Data(count: 400), for: line, type: .withResponse)
    for _ in 0..<40 { talk.found.writeValue(Data(count: 100), for: line, type: .withoutResponse) }
    talk.found.setNotifyValue(true, for: line)
    talk.found.discoverDescriptors(for: line)
    talk.central.manager.scanForPeripherals(withServices: nil)
  }

  @Test("a delegate that is removed is called no more; operations finish, and a later delegate gets what comes after")
  func delegates() async throws {
    let talk = try await Conversation.start(with: { Devices.chat(on: $0).program })
    talk.central.events = []
    talk.peripheral.events = []
    try Self.ask(talk)
    talk.found.delegate = nil
    talk.central.manager.delegate = nil
    talk.peripheral.manager.delegate = nil
    await talk.world.settle()
    #expect(talk.central.events.isEmpty && talk.peripheral.events.isEmpty)
    let line = try talk.characteristic("FF22")
    // No delegate could answer: the host answered the other side with an error, and nothing hangs.
    talk.found.delegate = talk.central
    await talk.found.read(line, in: talk.world)
    #expect(talk.central.events == [.valueError("FF22", CBATTError.Code.requestNotSupported.rawValue)])
    #expect(line.isNotifying)
    talk.central.manager.delegate = talk.central
    talk.peripheral.manager.delegate = talk.peripheral
    talk.found.readValue(for: line)
    talk.central.manager.cancelPeripheralConnection(talk.found)
    await talk.world.settle()
    #expect(talk.central.events.last == .disconnected("other", nil) || talk.central.events.count > 1)
  }

  @Test("a delegate that is deallocated during an operation counts as absent")
  func deallocatedDelegates() async throws {
    let world = World()
    let chat = Devices.chat(on: world.makeDevice("chat"))
    var delegate: CentralMeddler? = CentralMeddler(options: world.makeDevice("phone").options, times: 3)
    let manager = try #require(delegate?.manager)
    await world.advance(by: .seconds(1))
    weak let gone = delegate
    delegate = nil
    await world.advance(by: .seconds(5))
    #expect(gone == nil && manager.state == .poweredOn && manager.delegate == nil)
    manager.scanForPeripherals(withServices: nil)
    await world.settle()
    #expect(manager.isScanning)
    withExtendedLifetime(chat) {}
  }

  @Test("managers and peripherals that are released at any moment leave nothing behind, and the next ones work")
  func released() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let chat = Devices.chat(on: world.makeDevice("chat"))
    await world.settle()
    for step in 0..<24 {
      // Each time a little later: while it starts, scans, connects, discovers, reads, writes.
      var central: CentralMeddler? = CentralMeddler(options: phone.options, times: 4)
      weak let gone = central
      await world.advance(by: .milliseconds(step * 17))
      central = nil
      await world.advance(by: .milliseconds(3))
      #expect(gone == nil)
    }
    await world.advance(by: .seconds(10))
    let program = CentralApp(phone.options)
    await world.settle()
    #expect(program.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "FF11")]).isEmpty)
    program.manager.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
    try await world.wait(within: .seconds(5)) { !program.sightings.isEmpty }
    program.manager.connect(program.sightings[0].peripheral)
    try await world.wait(within: .seconds(5)) { program.sightings[0].peripheral.state == .connected }
    withExtendedLifetime(chat) {}
  }

  @Test("peripheral managers that are released at any moment remove their services")
  func releasedPeripherals() async throws {
    let world = World()
    let device = world.makeDevice("device")
    let phone = CentralMeddler(options: world.makeDevice("phone").options, times: 40)
    for step in 0..<16 {
      var peripheral: PeripheralMeddler? = PeripheralMeddler(options: device.options, times: 4)
      weak let gone = peripheral
      await world.advance(by: .milliseconds(step * 40))
      peripheral = nil
      await world.advance(by: .milliseconds(3))
      #expect(gone == nil)
    }
    phone.meddling.stop()
    let chat = Devices.chat(on: device)
    let program = CentralApp(world.makeDevice("other").options)
    await world.advance(by: .seconds(10))
    let found = try await program.reach(services: [CBUUID(string: "FF11")], in: world)
    await found.discoverServices(in: world)
    #expect(found.services?.map(\.uuid) == [CBUUID(string: "FF11")])
    withExtendedLifetime((chat, phone)) {}
  }

  @Test("a manager and its peripheral may be released inside any callback")
  func releasedInside() async throws {
    let world = World()
    let chat = Devices.chat(on: world.makeDevice("chat"))
    await world.settle()
    for stage in 0..<4 {
      let quitter = Quitter(options: world.makeDevice("phone").options, stage: stage)
      try await world.wait(within: .seconds(10)) { quitter.hasQuit }
      await world.settle()
      #expect(quitter.callsAfterwards == 0)
    }
    withExtendedLifetime(chat) {}
  }

  @Test("callbacks that call every method, on both sides, are never nested, and the sequence ends")
  func meddling() async throws {
    let world = World()
    let phone = world.makeDevice("phone")
    let central = CentralMeddler(options: phone.options, times: 40)
    let peripheral = PeripheralMeddler(options: world.makeDevice("peripheral").options, times: 12)
    await world.advance(by: .seconds(120))
    #expect(central.meddling.kinds.count >= 14, "\(central.meddling.kinds)")
    #expect(peripheral.meddling.kinds.count >= 9, "\(peripheral.meddling.kinds)")
    // Afterwards the devices still work.
    let chat = Devices.chat(on: world.makeDevice("chat"))
    let program = CentralApp(phone.options)
    await world.advance(by: .seconds(5))
    program.manager.scanForPeripherals(withServices: [CBUUID(string: "FF11")])
    try await world.wait(within: .seconds(10)) { !program.sightings.isEmpty }
    program.manager.connect(program.sightings[0].peripheral)
    try await world.wait(within: .seconds(30)) { program.sightings[0].peripheral.state == .connected }
    withExtendedLifetime((chat, central, peripheral)) {}
  }
}

/// Releases its manager and its peripheral inside one callback.
///
/// `@unchecked Sendable`: as `CentralMeddler`.
private final class Quitter: Listener, @unchecked Sendable {
  /// The callbacks of a way from the first state to the services.
  private static let way = [
    "centralManagerDidUpdateState(_:)", "centralManager(_:didDiscover:advertisementData:rssi:)",
    "centralManager(_:didConnect:)", "peripheral(_:didDiscoverServices:)",
  ]
  private let stage: Int
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private(set) var hasQuit = false
  private(set) var callsAfterwards = 0

  init(options: [String: Any], stage: Int) {
    self.stage = stage
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  override func take(_ call: Call) {
    // A device that is seen again begins nothing.
    guard let stage = Self.way.firstIndex(of: call.method), stage != 1 || peripheral == nil else { return }
    if stage == 1 { peripheral = call.arguments[1] as? CBPeripheral }
    if hasQuit { callsAfterwards += 1 }
    if stage == self.stage { (manager, peripheral, hasQuit) = (nil, nil, true) }
    switch stage {
    case 0: manager?.scanForPeripherals(withServices: nil)
    case 1: peripheral.map { manager?.connect($0) }
    case 2: peripheral?.discoverServices(nil)
    default: break
    }
  }
}
