import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("What Linux has and lacks", .keepsCapture)
struct LinuxFactTests {
  @Test("B13.1 the classes are NSObjects, the peers and UUIDs NSCopying, and delegates NSObjectProtocols")
  func objects() {
    let uuid: any NSCopying = CBUUID(string: "180F")
    let zone: NSZone? = nil
    #expect((uuid.copy(with: zone) as? NSObject)?.isEqual(uuid) == true)
    let service: NSObject = CBMutableService("FF11")
    #expect(service.isEqual(service) && service.description.hasPrefix("<CBMutableService: 0x"))
    let delegate: any CBCentralManagerDelegate = CentralApp(World().makeDevice("phone").options)
    let object: any NSObjectProtocol = delegate
    #expect(object.isEqual(delegate))
  }

  @Test("B13.2 the names that Core Foundation and Dispatch have on Apple's systems come with the module")
  func names() {
    let now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    #expect(abs(now - Date().timeIntervalSinceReferenceDate) < 60)
    let queue: dispatch_queue_t = DispatchQueue(label: "queue")
    #expect(queue.label == "queue")
  }

  /// Implements only the required methods.
  private class Base: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    var told: [String] = []
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { told.append("state") }
  }

  /// Adds a method that its base class lacks.
  private final class Adding: Base, @unchecked Sendable {
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
      told.append("advertising")
    }
  }

  private class Complete: Base, @unchecked Sendable {
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
      told.append("nothing")
    }
  }

  private final class Overriding: Complete, @unchecked Sendable {
    override func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
      told.append("advertising")
    }
  }

  /// The class that conforms implements the method.
  private class Conforming: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    var told: [String] = []
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { told.append("state") }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
  }

  private final class Refining: Conforming, @unchecked Sendable {
    override func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
      told.append("advertising")
    }
  }

  @Test(
    "B13.3 an optional method counts where the conforming class implements it; one that a subclass adds is not called")
  func subclasses() async {
    let world = World()
    let delegates: [Base] = [Adding(), Overriding()]
    let refining = Refining()
    let all = delegates.map { $0 as any CBPeripheralManagerDelegate } + [refining]
    let managers = all.enumerated().map { number, delegate in
      CBPeripheralManager(
        delegate: delegate, queue: DispatchQueue(label: "queue"), options: world.makeDevice("\(number)").options)
    }
    await world.settle()
    for manager in managers { manager.startAdvertising(nil) }
    await world.settle()
    #expect(managers.map(\.isAdvertising) == [true, true, true])
    #expect(delegates.map(\.told) == [["state"], ["state"]])
    #expect(refining.told == ["state", "advertising"])
  }

  /// Implements the older of the two disconnect callbacks.
  private class Older: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    var told: [String] = []
    var found: CBPeripheral?
    func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      if found != nil { return }
      found = peripheral
      central.connect(peripheral)
    }
    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { told.append("older") }
  }

  private final class Newer: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    var told: [String] = []
    var found: CBPeripheral?
    func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      if found != nil { return }
      found = peripheral
      central.connect(peripheral)
    }
    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
      isReconnecting: Bool, error: (any Error)?
    ) { told.append("newer \(isReconnecting)") }
  }

  /// Implements both.
  private final class Both: Older, @unchecked Sendable {
    func centralManager(
      _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
      isReconnecting: Bool, error: (any Error)?
    ) { told.append("newer") }
  }

  @Test("B13.4 of the two disconnect callbacks the older is called where it is implemented, else the newer")
  func disconnectCallbacks() async throws {
    let world = World()
    let publisher = PeripheralApp(world.makeDevice("device").options)
    let (older, newer, both) = (Older(), Newer(), Both())
    await world.settle()
    publisher.manager.startAdvertising(nil)
    let delegates: [any CBCentralManagerDelegate] = [older, newer, both]
    let managers = delegates.enumerated().map { number, delegate in
      CBCentralManager(
        delegate: delegate, queue: DispatchQueue(label: "queue"), options: world.makeDevice("\(number)").options)
    }
    try await world.wait(within: .seconds(30)) {
      [older.found, newer.found, both.found].allSatisfy { $0?.state == .connected }
    }
    for (manager, found) in zip(managers, [older.found, newer.found, both.found]) {
      manager.cancelPeripheralConnection(try #require(found))
    }
    await world.advance(by: .seconds(2))
    #expect(older.told == ["older"] && newer.told == ["newer false"] && both.told == ["older"])
  }

  @Test(
    "B13.5 B13.6 errors that delegates get are CBError and CBATTError: cast, matched, caught, with code, domain and text"
  )
  func errors() async throws {
    let pair = try await Pair.start([CBMutableService("FF11", [CBMutableCharacteristic("FF22", .notify)])])
    try await pair.read("FF22")
    pair.device.cutPower()
    await pair.world.advance(by: .seconds(20))
    let (attribute, link) = (pair.central.errors[0], pair.central.errors[1])
    #expect((attribute as? CBATTError)?.code == .readNotPermitted && attribute as? CBError == nil)
    #expect((attribute as NSError).domain == CBATTErrorDomain && (attribute as NSError).code == 2)
    #expect(attribute.localizedDescription == "Reading is not permitted.")
    #expect((link as? CBError)?.code == .connectionTimeout)
    #expect((link as NSError).domain == "CBErrorDomain" && (link as NSError).code == 6)
    #expect(link.localizedDescription == "The connection has timed out unexpectedly.")
    var caught = false
    do { throw link } catch CBError.connectionTimeout { caught = true } catch {}
    #expect(caught)
    if case CBATTError.readNotPermitted = attribute {} else { Issue.record("the pattern does not match") }
    #expect(CBError(.connectionTimeout) == link as? CBError)
  }

  @Test("B13.7 unlisted codes are codes: an application's own code arrives at the other program")
  func applicationCodes() async throws {
    let code = try #require(CBATTError.Code(rawValue: 0x80))
    let pair = try await Pair.start([CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read)])])
    pair.publisher.onRead = { manager, request in manager.respond(to: request, withResult: code) }
    try await pair.read("FF22")
    let error = try #require(pair.central.errors.first as? CBATTError)
    #expect(error.code == code && error.code.rawValue == 0x80)
    #expect(error.localizedDescription == "Unknown ATT error.")
    switch error.code {
    case .success, .readNotPermitted: Issue.record("it is none of these")
    default: break
    }
    #expect(CBManagerState(rawValue: 99)?.rawValue == 99)
  }
}
