import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Behaviour 1, central: queues and delegates", .keepsCapture)
struct CentralQueueTests {
  @Test("B1.1 every delegate call of a manager and of its peripherals is made on the manager's queue")
  func ownQueue() async throws {
    let world = World()
    let lamp = PeripheralApp("lamp", on: world.makeDevice("lamp"), services: Meeting.plainServices(), advertises: [])
    let queue = DispatchQueue(label: "own")
    let mark = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: mark, value: true)
    let central = CentralApp(world.makeDevice("phone").options, queue: queue)
    var places: [Bool] = []
    let look = { places.append(DispatchQueue.getSpecific(key: mark) == true) }
    for kind in ["state", "connected", "services", "name", "rssi", "disconnected"] { central.reactions[kind] = look }
    central.onSighting = { _ in look() }
    let found = try await Meeting.find("lamp", by: central, in: world)
    try await central.connect(to: found, in: world)
    found.discoverServices(nil)
    found.readRSSI()
    await world.settle()
    central.manager.cancelPeripheralConnection(found)
    await world.settle()
    #expect(places.count >= 6 && !places.contains(false))
    withExtendedLifetime(lamp) {}
  }

  @Test("B1.2 without a queue it is the main queue, and never inside the app's own call")
  @MainActor func mainQueue() async throws {
    let world = World()
    let lamp = PeripheralApp("lamp", on: world.makeDevice("lamp"), advertises: [])
    let central = CentralApp(world.makeDevice("phone").options, queue: nil)
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    var places: [Bool] = []
    var isInCall = false
    var callsWithinCalls = 0
    let look = {
      places.append(DispatchQueue.getSpecific(key: mark) == true)
      if isInCall { callsWithinCalls += 1 }
    }
    central.reactions["state"] = look
    central.reactions["disconnected"] = look
    let found = try await Meeting.find("lamp", by: central, in: world)
    central.reactions["connected"] = {
      look()
      isInCall = true
      central.manager.cancelPeripheralConnection(found)
      isInCall = false
    }
    isInCall = true
    central.manager.connect(found)
    isInCall = false
    await world.advance(by: .seconds(5))
    #expect(central.told == ["connected lamp", "disconnected lamp"])
    #expect(places == [true, true, true])
    #expect(callsWithinCalls == 0)
    withExtendedLifetime(lamp) {}
  }

  @Test("B1.3 callbacks come one after the other and in order, on a concurrent queue too")
  func order() async throws {
    let world = World()
    let line = Meeting.characteristic("FFF1")
    let lamp = PeripheralApp(
      "lamp", on: world.makeDevice("lamp"), services: [CBMutableService("FFF0", [line])], advertises: [])
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let central = CentralApp(world.makeDevice("phone").options, queue: queue)
    let found = try await Meeting.find("lamp", by: central, in: world)
    let phone = Meeting(world: world, phone: world.makeDevice("other"), central: central, found: found)
    let meeting = try await phone.connected().walked()
    try await meeting.subscribe()
    central.forget()
    let depth = Depth()
    central.reactions["value"] = { depth.pass() }
    var expected: [String] = []
    for number in 0..<300 {
      let value = Data([UInt8(number >> 8), UInt8(number & 0xFF)])
      expected.append("value FFF1 \(value.hexadecimal)")
      if !lamp.manager.updateValue(value, for: line, onSubscribedCentrals: nil) {
        await world.settle()
        #expect(lamp.manager.updateValue(value, for: line, onSubscribedCentrals: nil))
      }
    }
    await world.settle()
    #expect(central.told == expected)
    #expect(depth.deepest == 1)
  }

  /// How many calls are running simultaneously. `@unchecked Sendable`: the test shows that there is only one.
  private final class Depth: @unchecked Sendable {
    private var now = 0
    private(set) var deepest = 0
    func pass() {
      now += 1
      deepest = max(deepest, now)
      now -= 1
    }
  }

  /// The only required method of a delegate.
  private final class LeastDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate,
    CBPeripheralDelegate, @unchecked Sendable
  {
    var states = 0
    func centralManagerDidUpdateState(_ central: CBCentralManager) { states += 1 }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { states += 1 }
  }

  @Test("B1.5 a delegate with nothing but did-update-state works in all operations")
  func least() async throws {
    let world = World()
    let (phone, other) = (world.makeDevice("phone"), world.makeDevice("other"))
    let delegate = LeastDelegate()
    let queue = DispatchQueue(label: "least")
    let line = Meeting.characteristic("FFF1", [.read, .notify])
    let service = CBMutableService("FFF0", [line])
    let peripheral = CBPeripheralManager(delegate: delegate, queue: queue, options: other.options)
    let central = CBCentralManager(delegate: delegate, queue: queue, options: phone.options)
    await world.settle()
    #expect(delegate.states == 2)
    peripheral.add(service)
    peripheral.startAdvertising(nil)
    central.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(2))
    // A delegate with more methods knows which device there is.
    let watcher = CentralApp(phone.options)
    await world.settle()
    watcher.manager.scanForPeripherals(withServices: nil)
    await world.advance(by: .seconds(2))
    let identifier = try #require(watcher.sightings.first?.peripheral.identifier)
    let found = try #require(central.retrievePeripherals(withIdentifiers: [identifier]).first)
    found.delegate = delegate
    central.connect(found)
    await world.advance(by: .seconds(2))
    await found.discoverAll(in: world)
    let characteristic = try #require(found.services?.first?.characteristics?.first)
    found.readValue(for: characteristic)
    found.setNotifyValue(true, for: characteristic)
    found.discoverDescriptors(for: characteristic)
    found.readRSSI()
    await world.settle()
    #expect(characteristic.isNotifying && characteristic.descriptors != nil)
    peripheral.remove(service)
    await world.settle()
    central.cancelPeripheralConnection(found)
    await world.settle()
    #expect(found.state == .disconnected)
  }

  @Test("B1.10 delegates are held weakly; nil ends the calls, and a new one gets later events")
  func weakDelegates() async throws {
    let world = World()
    let meeting = try await Meeting.talking(in: world)
    let (manager, found) = (try #require(meeting.central.manager), meeting.found)
    weak var gone: CentralApp?
    do {
      let shortLived = CentralApp(meeting.phone.options)
      gone = shortLived
      found.delegate = shortLived
      manager.delegate = shortLived
      await world.settle()
    }
    #expect(gone == nil && found.delegate == nil && manager.delegate == nil)
    found.delegate = meeting.central
    manager.delegate = meeting.central
    found.delegate = nil
    found.readRSSI()
    await world.settle()
    #expect(meeting.central.told.isEmpty)
    found.delegate = meeting.central
    manager.delegate = nil
    found.readValue(for: try meeting.characteristic())
    manager.cancelPeripheralConnection(found)
    await world.settle()
    #expect(meeting.central.told.isEmpty)
    #expect(found.state == .disconnected)
    manager.delegate = meeting.central
    manager.connect(found)
    await world.advance(by: .seconds(2))
    #expect(meeting.central.told == ["connected lamp"])
  }

  @Test("B1.11 each manager has its own peripherals for the same device, and accepts no other's")
  func severalManagers() async throws {
    let world = World()
    let first = try await Meeting.withAccessory(in: world)
    let second = CentralApp(first.phone.options)
    let theirs = try await Meeting.find("lamp", by: second, in: world)
    #expect(theirs !== first.found && theirs.identifier == first.found.identifier)
    second.manager.connect(first.found)
    await world.advance(by: .seconds(2))
    #expect(first.found.state == .disconnected && second.told.isEmpty)
    #expect(first.complaints.count == 1 && first.complaints[0].hasPrefix("API MISUSE: <CBPeripheral: 0x"))
    first.central.manager.connect(first.found)
    await world.advance(by: .seconds(2))
    #expect(first.found.state == .connected && theirs.state == .disconnected)
  }

  @Test("B1.12 the power alert option gives one notice in the log, once", arguments: [true, false])
  func powerAlert(isWanted: Bool) async {
    let world = World()
    let phone = world.makeDevice("phone")
    phone.powerOff()
    let central = CentralApp(phone.options, more: [CBCentralManagerOptionShowPowerAlertKey: isWanted])
    await world.settle()
    phone.powerOn()
    await world.settle()
    phone.powerOff()
    await world.settle()
    #expect(central.told == ["state 4", "state 5", "state 4"])
    let notices = world.logLines.filter { $0.level == .notice && $0.text.contains("switched off") }
    #expect(notices.count == (isWanted ? 1 : 0))
  }

  @Test("B1.13 a restore identifier without a delegate logs a line and nothing worse")
  func restoringWithoutDelegate() async {
    let world = World()
    let phone = world.makeDevice("phone")
    let options = phone.options.merging([CBCentralManagerOptionRestoreIdentifierKey: "central"]) { $1 }
    let manager = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "none"), options: options)
    await world.settle()
    #expect(manager.state == .poweredOn)
    #expect(
      world.logLines.contains {
        $0.text.hasPrefix("API MISUSE: <CBCentralManager: 0x") && $0.text.contains("restore identifier")
      })
  }
}
