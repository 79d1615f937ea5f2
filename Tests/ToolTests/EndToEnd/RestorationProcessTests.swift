import CoreBluetooth
import Foundation
import Testing

/// A program as processes of its own, killed and restarted: the same executable, and so the same program, each time.
@Suite("R3.9: killed processes", .serialized, .timeLimit(.minutes(10)))
struct RestorationProcessTests {
  private let place = Neighbourhood()

  @Test("R3.9 a central killed by SIGKILL while connected is restored by the next process of the program")
  func central() async throws {
    let server = try place.ble(["serve", "owenli", "--adapter", "radio:default/peripheral", "--json"])
    try server.event("advertising")
    let root = place.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [root = root as String] in
      enter(root)
      let app = CentralApp()
      #expect(app.reaches { $0.lines.last == "services FFF0 FFE0" })
      #expect(app.lines == ["state 5", "found Owenli", "connected Owenli", "services FFF0 FFE0"])
      #expect(stateIsWritten(root))
      kill(getpid(), SIGKILL)
    }
    await #expect(processExitsWith: .success) { [root = root as String] in
      enter(root)
      let app = CentralApp()
      #expect(app.reaches { $0.lines.last == "services FFF0 FFE0" })
      #expect(app.lines == ["restored Owenli 1", "state 5", "connected Owenli", "services FFF0 FFE0"])
      app.release()
    }
    // Released, it leaves nothing.
    await #expect(processExitsWith: .success) { [root = root as String] in
      enter(root)
      let app = CentralApp()
      #expect(app.reaches { $0.lines.count == 2 })
      #expect(app.lines == ["state 5", "found Owenli"])
    }
  }

  @Test("R3.9 a process that ends by a signal or by exit, without releasing its manager, is restored as well")
  func otherEnds() async throws {
    let root = place.folder.path
    // It requests a connection to a peripheral that has gone by then.
    let server = try place.ble(["serve", "owenli", "--adapter", "radio:default/peripheral", "--json"])
    try server.event("advertising")
    await #expect(processExitsWith: .signal(SIGTERM)) { [root = root as String] in
      enter(root)
      let app = CentralApp()
      #expect(app.reaches { $0.lines.last == "connected Owenli" || $0.lines.last?.hasPrefix("services") == true })
      kill(getpid(), SIGTERM)
      app.lingers()
      app.lingers()
    }
    await #expect(processExitsWith: .exitCode(7)) { [root = root as String] in
      enter(root)
      let app = CentralApp()
      #expect(app.reaches { $0.lines.last?.hasPrefix("services") == true })
      #expect(app.lines.first == "restored Owenli 1")
      exit(7)
    }
    await #expect(processExitsWith: .success) { [root = root as String] in
      enter(root)
      let app = CentralApp()
      #expect(app.reaches { $0.lines.last?.hasPrefix("services") == true })
      #expect(app.lines.first == "restored Owenli 1")
      app.release()
    }
  }

  @Test("R3.9 a peripheral killed by SIGKILL is restored with its services and its advertising")
  func peripheral() async throws {
    let root = place.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [root = root as String] in
      enter(root)
      let app = PeripheralApp()
      #expect(app.reaches { $0.lines.last == "advertising" })
      #expect(stateIsWritten(root))
      kill(getpid(), SIGKILL)
    }
    let reader = try place.ble(["read", "shop", "FF22", "--adapter", "radio:default/central", "--json"])
    await #expect(processExitsWith: .success) { [root = root as String] in
      enter(root)
      let app = PeripheralApp()
      // Asks for its value until the reader has gone: it reads once.
      #expect(app.reaches { $0.lines.last == "read" })
      #expect(app.lines == ["restored FF11 shop", "state 5", "read"])
      app.lingers()
    }
    let (status, lines) = try reader.finish()
    #expect(status == 0 && lines.contains { $0.contains("again") }, "\(reader.transcript)")
  }
}

/// Waits until a state with a peer or a service is in the state folder.
private func stateIsWritten(_ root: String) -> Bool {
  let folder = "\(root)/state/swift-corebluetooth/managers"
  for _ in 0..<6_000 {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where !name.contains(".") {
      let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
      if text.contains("identifier") || text.contains("shop") { return true }
    }
    usleep(10_000)
  }
  return false
}

/// Connects to Owenli, or stays connected, and discovers its services.
private final class CentralApp: ProgramApp, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?

  override init() {
    super.init()
    manager = CBCentralManager(
      delegate: self, queue: queue, options: [CBCentralManagerOptionRestoreIdentifierKey: "central"])
  }

  func release() {
    queue.sync {
      peripheral = nil
      manager = nil
    }
    // The way to the stack's loop.
    usleep(300_000)
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    let restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    peripheral = restored.first
    peripheral?.delegate = self
    tell("restored \(peripheral?.name ?? "nothing") \(peripheral?.state.rawValue ?? -1)")
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    tell("state \(central.state.rawValue)")
    if peripheral == nil { central.scanForPeripherals(withServices: [CBUUID(string: "FFF0")]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    tell("found \(peripheral.name ?? "?")")
    central.stopScan()
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    tell("connected \(peripheral.name ?? "?")")
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    tell((["services"] + (peripheral.services ?? []).map(\.uuid.uuidString)).joined(separator: " "))
  }
}

/// Publishes FF22 and advertises it as `shop`, or continues to.
private final class PeripheralApp: ProgramApp, CBPeripheralManagerDelegate, @unchecked Sendable {
  private var manager: CBPeripheralManager?
  private var isRestored = false

  override init() {
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: queue, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "peripheral"])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    isRestored = true
    let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
    let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
    let name = advertisement?[CBAdvertisementDataLocalNameKey] as? String
    tell((["restored"] + services.map(\.uuid.uuidString) + [name ?? "?"]).joined(separator: " "))
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    tell("state \(peripheral.state.rawValue)")
    if isRestored { return }
    let service = CBMutableService(type: CBUUID(string: "FF11"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "FF22"), properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "shop", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    tell("advertising")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    tell("read")
    request.value = Data("again".utf8)
    peripheral.respond(to: request, withResult: .success)
  }
}
