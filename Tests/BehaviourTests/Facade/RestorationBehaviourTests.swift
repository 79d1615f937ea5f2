import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("State restoration and the system", .keepsCapture)
struct RestorationBehaviourTests {
  /// A program with a manager of each kind, under restore identifiers where given.
  ///
  /// `@unchecked Sendable`: callbacks come on the serial queue, and the tests look only while the world is not running.
  private final class Program: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate,
    @unchecked Sendable
  {
    var central: CBCentralManager!
    var peripheral: CBPeripheralManager!
    var told: [String] = []
    var centralState: [String: Any] = [:]
    var peripheralState: [String: Any] = [:]
    var found: CBPeripheral?
    /// Its peer.
    var lamp: PeripheralApp?

    init(_ device: Device, as identifier: String? = "main") {
      super.init()
      var options = device.options
      options[CBCentralManagerOptionRestoreIdentifierKey] = identifier
      options[CBPeripheralManagerOptionRestoreIdentifierKey] = identifier
      let queue = DispatchQueue(label: "program")
      central = CBCentralManager(delegate: self, queue: queue, options: options)
      peripheral = CBPeripheralManager(delegate: self, queue: queue, options: options)
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
      told.append("central restored \(central.state.rawValue)")
      centralState = dict
      found = (dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first
    }
    func centralManagerDidUpdateState(_ central: CBCentralManager) { told.append("central \(central.state.rawValue)") }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      found = peripheral
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { told.append("connected") }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { told.append("services") }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
      told.append("peripheral restored \(peripheral.state.rawValue)")
      peripheralState = dict
    }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      told.append("peripheral \(peripheral.state.rawValue)")
    }
    func told(of kind: String) -> [String] { told.filter { $0.hasPrefix(kind) } }
  }

  /// A program that scans, is connected, publishes and advertises.
  private static func busy(in world: World, on device: Device, as identifier: String?) async throws -> Program {
    let lamp = PeripheralApp(world.makeDevice("lamp").options)
    let program = Program(device, as: identifier)
    await world.settle()
    lamp.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "lamp"])
    program.central.scanForPeripherals(withServices: nil)
    try await world.wait(within: .seconds(5)) { program.found != nil }
    let found = try #require(program.found)
    program.central.connect(found)
    try await world.wait(within: .seconds(5)) { found.state == .connected }
    program.central.scanForPeripherals(
      withServices: [.of("FF77")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    program.peripheral.add(CBMutableService("FF11", [CBMutableCharacteristic("FF22", .read, value: Data([7]))]))
    program.peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "program", CBAdvertisementDataServiceUUIDsKey: [CBUUID.of("FF11")],
    ])
    await world.settle()
    program.lamp = lamp
    return program
  }

  @Test("B11.1 B11.2 the operations of a killed process come first in the next one, under Apple's keys, and continue")
  func restored() async throws {
    let world = World()
    let device = world.makeDevice("device")
    let dead = try await Self.busy(in: world, on: device, as: "main")
    let identifier = try #require(dead.found?.identifier)
    device.terminateProcess()
    let program = Program(device)
    await world.settle()
    #expect(program.told(of: "central").prefix(2) == ["central restored 0", "central 5"])
    #expect(program.told(of: "peripheral").prefix(2) == ["peripheral restored 0", "peripheral 5"])
    let peripherals = program.centralState[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
    #expect(peripherals?.map(\.identifier) == [identifier])
    #expect(program.centralState[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [.of("FF77")])
    let options = program.centralState[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
    #expect(options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
    let services = program.peripheralState[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
    #expect(services?.map(\.uuid) == [.of("FF11")])
    #expect(services?.first?.characteristics?.first?.value == Data([7]))
    let data = program.peripheralState[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
    #expect(data?[CBAdvertisementDataLocalNameKey] as? String == "program")
    #expect(data?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [.of("FF11")])
    #expect(program.central.isScanning && program.peripheral.isAdvertising)
    // Connected peripherals are connected again; their delegate has to be set again.
    let restored = try #require(program.found)
    try await world.wait(within: .seconds(30)) { restored.state == .connected }
    #expect(restored.delegate == nil)
    await restored.discoverServices(in: world)
    #expect(!program.told.contains("services"))
    restored.delegate = program
    await restored.discoverServices(in: world)
    #expect(program.told.contains("services"))
    withExtendedLifetime(dead) {}
  }

  @Test("B11.1 without a restore identifier, or under another, nothing is restored", arguments: [nil, "other"])
  func optIn(_ identifier: String?) async throws {
    let world = World()
    let device = world.makeDevice("device")
    let dead = try await Self.busy(in: world, on: device, as: identifier == nil ? nil : "main")
    device.terminateProcess()
    let program = Program(device, as: identifier ?? "main")
    await world.settle()
    #expect(program.told.sorted() == ["central 5", "peripheral 5"])
    #expect(!program.central.isScanning && !program.peripheral.isAdvertising)
    withExtendedLifetime(dead) {}
  }

  @Test("B11.2 managers that were shut down leave nothing")
  func shutDown() async throws {
    let world = World()
    let device = world.makeDevice("device")
    var program: Program? = try await Self.busy(in: world, on: device, as: "main")
    await world.settle()
    #expect(program?.peripheral.isAdvertising == true)
    program = nil
    await world.settle()
    device.terminateProcess()
    let next = Program(device)
    await world.settle()
    #expect(next.told.sorted() == ["central 5", "peripheral 5"])
  }

  /// Waits for the first state.
  private final class Waiting: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    var continuation: CheckedContinuation<Void, Never>?
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      continuation?.resume()
      continuation = nil
    }
  }

  @Test("B11.4 no app is authorized for the notification centre, and no user is asked")
  func notificationCentre() async throws {
    let pair = try await Pair.start([])
    #expect(!pair.peripheral.ancsAuthorized)
    pair.central.manager.connect(pair.peripheral, options: [CBConnectPeripheralOptionRequiresANCS: true])
    await pair.world.advance(by: .seconds(5))
    #expect(!pair.peripheral.ancsAuthorized && pair.peripheral.state == .connected)
  }

  @Test(
    "B11.4 extended scanning is supported where the program's controller supports extended advertising",
    arguments: [true, false])
  func features(_ hasController: Bool) async {
    await #expect(processExitsWith: .success) { [hasController] in
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: folder) }
      for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] { setenv(name, folder.path, 1) }
      // No controller is at that address.
      setenv("BLE_ADAPTER", hasController ? "radio:features" : "tcp-client:127.0.0.1:1", 1)
      let waiting = Waiting()
      var manager: CBCentralManager?
      await withCheckedContinuation { continuation in
        waiting.continuation = continuation
        manager = CBCentralManager(delegate: waiting, queue: DispatchQueue(label: "waiting"))
      }
      #expect((manager?.state == .poweredOn) == hasController)
      #expect(CBCentralManager.supports(.extendedScanAndConnect) == hasController)
      #expect(!CBCentralManager.supports(.channelSounding))
    }
  }
}
