import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

@Suite("Lifetimes")
struct LifetimeTests {
  @Test("a central manager that is released ends its role, and leaves nothing")
  func central() async throws {
    let adapter = ScriptedAdapter()
    let link = ScriptedLink(.first, adapter)
    link.layOut()
    let recorder = CentralRecorder()
    weak var manager: CBCentralManager?
    weak var gone: CBPeripheral?
    var peripheral: CBPeripheral?
    do {
      let own = CBCentralManager(delegate: recorder, queue: recorder.queue, options: adapter.options)
      manager = own
      adapter.known = [.of(.first)]
      await adapter.settle()
      peripheral = own.retrievePeripherals(withIdentifiers: [PeerIdentifier.first.uuid]).first
      gone = peripheral
      own.connect(try #require(peripheral))
      await adapter.settle()
      peripheral?.discoverServices(nil)
      await adapter.settle()
      #expect(peripheral?.state == .connected)
    }
    recorder.clear()
    await adapter.settle()
    #expect(manager == nil)
    #expect(adapter.central.isClosed)
    #expect(peripheral?.state == .disconnected)
    peripheral?.discoverServices(nil)
    await adapter.settle()
    #expect(recorder.told.isEmpty)
    weak let events = adapter.central.events
    peripheral = nil
    await adapter.settle()
    #expect(gone == nil)
    #expect(events == nil)
    #expect(!adapter.lines.contains("Cancelling connection"))
  }

  @Test("a connected peripheral that is released releases its services and ends its connection")
  func peripheral() async throws {
    let central = await CentralFixture()
    let link = ScriptedLink(.first, central.adapter)
    link.layOut()
    weak var service: CBService?
    do {
      let peripheral = try await central.connected(link)
      central.recorder.found = []
      peripheral.discoverServices(nil)
      await central.adapter.settle()
      service = peripheral.services?.first
      #expect(service != nil)
    }
    await central.adapter.settle()
    #expect(service == nil)
    #expect(central.adapter.central.cancelled == [.first])
    #expect(central.adapter.lines.contains("state = connected>, Did you forget to keep a reference to it?"))
  }

  @Test("a peripheral manager that is released ends its role")
  func peripheralManager() async {
    let adapter = ScriptedAdapter()
    let recorder = PeripheralRecorder()
    weak var manager: CBPeripheralManager?
    weak var service: CBMutableService?
    do {
      let own = CBPeripheralManager(delegate: recorder, queue: recorder.queue, options: adapter.options)
      manager = own
      await adapter.settle()
      let added = PeripheralFixture.service(PeripheralFixture.dynamic())
      service = added
      own.add(added)
      await adapter.settle()
      await adapter.peripheral.subscribe(.first)
      recorder.centrals = []
    }
    await adapter.settle()
    #expect(manager == nil)
    #expect(service == nil)
    #expect(adapter.peripheral.isClosed)
    #expect(adapter.peripheral.events == nil)
  }

  @Test("the delegate is not retained")
  func delegates() async {
    let adapter = ScriptedAdapter()
    weak var delegate: CentralRecorder?
    let manager: CBCentralManager
    do {
      let own = CentralRecorder()
      delegate = own
      manager = CBCentralManager(delegate: own, queue: own.queue, options: adapter.options)
    }
    #expect(delegate == nil)
    await adapter.settle()
    #expect(manager.delegate == nil)
    #expect(manager.state == .poweredOn)
  }

  @Test("a manager may be released inside its own callback")
  func insideCallback() async throws {
    let adapter = ScriptedAdapter()
    let recorder = CentralRecorder()
    nonisolated(unsafe) var manager: CBCentralManager?
    manager = CBCentralManager(delegate: recorder, queue: recorder.queue, options: adapter.options)
    recorder.reactions["state"] = {
      #expect(manager?.state == .poweredOn)
      manager = nil
    }
    await adapter.settle()
    #expect(recorder.told == ["state 5"])
    #expect(adapter.central.isClosed)
  }
}
