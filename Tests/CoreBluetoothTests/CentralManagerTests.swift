import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("A central manager")
struct CentralManagerTests {
  @Test("reports unknown at first, and its state once, later, whatever it is", arguments: [2, 3, 4, 5])
  func firstState(_ state: Int) async throws {
    let adapter = ScriptedAdapter(try #require(AdapterState(rawValue: state)))
    let recorder = CentralRecorder()
    let manager = CBCentralManager(delegate: recorder, queue: recorder.queue, options: adapter.options)
    #expect(manager.state == .unknown)
    #expect(recorder.told.isEmpty)
    await adapter.settle()
    #expect(manager.state.rawValue == state)
    #expect(recorder.told == ["state \(state)"])
  }

  @Test("reports all states in order, and none twice")
  func allStates() async {
    let central = await CentralFixture(.unsupported)
    for state in [AdapterState.unauthorized, .poweredOff, .poweredOn, .poweredOn, .resetting, .unknown, .poweredOff] {
      await central.adapter.setState(state)
    }
    #expect(central.recorder.told == ["state 3", "state 4", "state 5", "state 1", "state 0", "state 4"])
  }

  @Test("works without a delegate, and a later delegate gets later events")
  func lateDelegate() async {
    let adapter = ScriptedAdapter()
    let recorder = CentralRecorder()
    let manager = CBCentralManager(delegate: nil, queue: recorder.queue, options: adapter.options)
    await adapter.settle()
    manager.delegate = recorder
    await adapter.setState(.poweredOff)
    manager.delegate = nil
    await adapter.setState(.poweredOn)
    #expect(recorder.told == ["state 4"])
    #expect(manager.state == .poweredOn)
  }

  @Test("calls its delegate on the given queue, in order, also on a concurrent one")
  func concurrentQueue() async {
    let adapter = ScriptedAdapter()
    let recorder = CentralRecorder()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let manager = CBCentralManager(delegate: recorder, queue: queue, options: adapter.options)
    await adapter.settle()
    manager.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await adapter.settle()
    recorder.clear()
    for rssi in 1...50 {
      await adapter.central.discover(.first, rssi: Int8(-rssi))
    }
    #expect(recorder.told == (1...50).map { "discovered Thing -\($0)" })
  }

  @Test("drops commands while Bluetooth is off, with Apple's line in the log")
  func misuse() async {
    let central = await CentralFixture(.poweredOff)
    central.manager.scanForPeripherals(withServices: nil)
    central.manager.stopScan()
    #expect(central.manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
    #expect(central.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    await central.adapter.settle()
    #expect(!central.manager.isScanning)
    #expect(central.adapter.central.scans.isEmpty)
    #expect(central.recorder.told.isEmpty)
    let line = "API MISUSE: \(central.manager) can only accept this command while in the powered on state"
    #expect(central.adapter.lines.texts.filter { $0 == line }.count == 4)
    #expect(line.hasPrefix("API MISUSE: <CBCentralManager: 0x"))
  }

  @Test("asks once, in the log, to switch Bluetooth on where the option says so")
  func powerAlert() async {
    let central = await CentralFixture(
      .poweredOff, options: [CBCentralManagerOptionShowPowerAlertKey: NSNumber(value: true)])
    await central.adapter.setState(.poweredOn)
    await central.adapter.setState(.poweredOff)
    #expect(central.adapter.lines.texts.filter { $0.contains("switched off") }.count == 1)
    let quiet = await CentralFixture(.poweredOff)
    #expect(!quiet.adapter.lines.contains("switched off"))
  }

  @Test("reports that the program is unauthorized")
  func authorization() async {
    let central = await CentralFixture(.unauthorized)
    #expect(CBManager.authorization == .denied)
    #expect(CBPeripheralManager.authorization == .denied)
    #expect(central.manager.state == .unauthorized)
  }

  @Test("finds known peripherals by identifiers, in their order, as the same objects")
  func retrieving() async throws {
    let central = await CentralFixture()
    central.adapter.known = [.of(.first), .of(.second, name: nil)]
    let identifiers = [PeerIdentifier.second.uuid, UUID(), PeerIdentifier.first.uuid]
    let peripherals = central.manager.retrievePeripherals(withIdentifiers: identifiers)
    #expect(peripherals.map(\.identifier) == [identifiers[0], identifiers[2]])
    #expect(peripherals.map(\.name) == [nil, "Thing"])
    #expect(peripherals.allSatisfy { $0.state == .disconnected })
    let found = try await central.found(.first)
    #expect(found === peripherals[1])
  }

  @Test("finds peripherals that other programs are connected to")
  func retrievingConnected() async {
    let central = await CentralFixture()
    central.adapter.connected = [.of(.first)]
    let peripherals = central.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")])
    #expect(peripherals.map(\.identifier) == [PeerIdentifier.first.uuid])
    #expect(peripherals.first?.state == .disconnected)
  }

  @Test("has objects of its own: two managers, two objects, one identifier")
  func twoManagers() async throws {
    let central = await CentralFixture()
    let other = CBCentralManager(
      delegate: central.recorder, queue: central.recorder.queue, options: central.adapter.options)
    await central.adapter.settle()
    central.adapter.known = [.of(.first)]
    let mine = try #require(central.manager.retrievePeripherals(withIdentifiers: [PeerIdentifier.first.uuid]).first)
    let its = try #require(other.retrievePeripherals(withIdentifiers: [PeerIdentifier.first.uuid]).first)
    #expect(mine !== its)
    #expect(mine.identifier == its.identifier)
    other.connect(mine)
    await central.adapter.settle()
    #expect(mine.state == .disconnected)
    #expect(central.adapter.lines.contains("is not a peripheral of"))
  }

  @Test("reports connections of other programs after registration")
  func connectionEvents() async {
    let central = await CentralFixture()
    central.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180F")]])
    let battery = BLEUUID(UInt16(0x180F))
    await central.adapter.central.tell {
      $0.central(linkDidChange: .of(.first), isConnected: true, services: [battery])
      $0.central(linkDidChange: .of(.second), isConnected: true, services: [])
      $0.central(linkDidChange: .of(.first), isConnected: false, services: [battery])
    }
    #expect(central.recorder.told == ["event 1", "event 0"])
    central.manager.registerForConnectionEvents(options: nil)
    await central.adapter.central.tell {
      $0.central(linkDidChange: .of(.first), isConnected: true, services: [battery])
    }
    #expect(central.recorder.told.count == 2)
  }
}
