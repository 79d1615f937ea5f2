import CoreBluetooth
import Foundation
import Testing

/// Two programs that use only Core Bluetooth, each a process of its own, and a value that needs encryption.
@Suite("The story of a bond", .serialized, .timeLimit(.minutes(10)))
struct BondStoryTests {
  private let place = Neighbourhood()
  private var root: String { place.folder.path }

  @Test("Paired on access, encrypted after a restart of both, reported when the bond is removed, paired again")
  func pairedOnAccessEncryptedAfterARestart() async throws {
    // No call requested a pairing, and the value is read.
    try await together { await Self.reads($0, capture: "1") }
    #expect(try traffic("1").contains { $0.contains(Self.pairing) })
    #expect(try bonds().count == 2)

    // Two other processes, and the same two devices: encrypted with the stored keys.
    try await together { await Self.reads($0, capture: "2") }
    let second = try traffic("2")
    #expect(!second.contains { $0.contains(Self.pairing) })
    #expect(second.contains { $0.contains(Self.encryption) })

    // The peripheral's side removes the bond during the connection.
    let removal = Self.removeBonds(of: "radio:default/peripheral", when: place.path("ready"), place.environment)
    try await together { await Self.isForgotten($0) }
    #expect(removal.wait(timeout: .now() + 120) == .success)
    #expect(try bonds() == ["radio:default/central"])

    // The remedy is to remove the bond here as well.
    #expect(try place.run("bonds", "remove", "--all", "--adapter", "radio:default/central").status == 0)
    try await together { await Self.reads($0, capture: "4") }
    #expect(try traffic("4").contains { $0.contains(Self.pairing) })
    #expect(try bonds().count == 2)
  }

  private static let pairing = "Pairing Request"
  private static let encryption = "LE_Enable_Encryption"

  private func traffic(_ name: String) throws -> [String] {
    let shown = try place.run("capture", "show", place.path("\(name).btsnoop"))
    try #require(shown.status == 0 && shown.lines.count > 20, "\(shown.transcript)")
    return shown.lines
  }

  /// The devices that have bonds.
  private func bonds() throws -> [String] {
    let list = try place.run("bonds", "list", "--json")
    let bonds = list.document?["bonds"] as? [[String: Any]]
    return try #require(bonds).compactMap { $0["adapter_name"] as? String }
  }

  // MARK: The processes

  /// Runs the peripheral while `body` does something with it.
  private func together(_ body: (_ root: String) async throws -> Void) async throws {
    for name in ["stop", "ready"] { try? FileManager.default.removeItem(atPath: place.path(name)) }
    let root = root
    async let peripheral: Void = Self.serves(root)
    do {
      try await body(root)
      try Data().write(to: URL(fileURLWithPath: place.path("stop")))
    } catch {
      try Data().write(to: URL(fileURLWithPath: place.path("stop")))
      throw error
    }
    await peripheral
  }

  private static func serves(_ root: String) async {
    await #expect(processExitsWith: .success) { [root = root as String] in
      enter(root, "radio:default/peripheral")
      let app = SafeApp()
      while !FileManager.default.fileExists(atPath: root + "/stop") { usleep(20_000) }
      #expect(!app.lines.contains { $0.hasPrefix("error") })
    }
  }

  private static func reads(_ root: String, capture: String) async {
    await #expect(processExitsWith: .success) { [root = root as String, capture = capture as String] in
      setenv("BLE_CAPTURE", "\(root)/\(capture).btsnoop", 1)
      enter(root, "radio:default/central")
      let app = ReaderApp()
      let isRead = app.reaches { $0.lines.last == "value gold" }
      #expect(isRead, "\(app.lines)")
      #expect(app.lines == ["found Safe", "connected", "value gold"])
      app.leave()
    }
  }

  private static func isForgotten(_ root: String) async {
    await #expect(processExitsWith: .success) { [root = root as String] in
      enter(root, "radio:default/central")
      let app = ReaderApp()
      #expect(app.reaches { $0.lines.last == "value gold" })
      try Data().write(to: URL(fileURLWithPath: root + "/ready"))
      #expect(app.reaches { $0.lines.last?.hasPrefix("failed") == true }, "\(app.lines)")
      let code = CBError.Code.peerRemovedPairingInformation.rawValue
      #expect(code == 14)
      let left = CBError.Code.peripheralDisconnected.rawValue
      #expect(app.lines.suffix(3) == ["value gold", "disconnected \(left)", "failed \(code)"])
    }
  }

  /// Removes bonds as soon as a file exists. On a thread of its own: those of the test wait for processes.
  private static func removeBonds(
    of adapter: String, when path: String, _ environment: [String: String]
  ) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !FileManager.default.fileExists(atPath: path) { usleep(20_000) }
      let words = ["bonds", "remove", "--all", "--adapter", adapter]
      if (try? ToolProcess(words, environment: environment).finish().status) == 0 { done.signal() }
    }
    return done
  }
}

/// Publishes a value that is read over encrypted links only.
private final class SafeApp: ProgramApp, CBPeripheralManagerDelegate, @unchecked Sendable {
  private var manager: CBPeripheralManager?

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: CBUUID(string: "FF33"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "FF34"), properties: .read, value: Data("gold".utf8), permissions: .readEncryptionRequired)
    ]
    peripheral.add(service)
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Safe", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { tell("error \(error)") }
  }
}

/// Reads the value of the first peripheral that it finds, and reconnects when the link is lost.
private final class ReaderApp: ProgramApp, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?

  override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue)
  }

  func leave() {
    queue.sync { if let peripheral { manager?.cancelPeripheralConnection(peripheral) } }
    _ = reaches { $0.lines.last?.hasPrefix("disconnected") == true }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "FF33")]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    central.stopScan()
    tell("found \(peripheral.name ?? "?")")
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    tell("connected")
    peripheral.discoverServices([CBUUID(string: "FF33")])
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    tell("disconnected \(error.map { ($0 as NSError).code } ?? 0)")
    if error != nil { central.connect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    tell("failed \(error.map { ($0 as NSError).code } ?? 0)")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return tell("no service: \(String(describing: error))") }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    guard let characteristic = service.characteristics?.first else { return tell("no characteristic") }
    peripheral.readValue(for: characteristic)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return tell("error \(error)") }
    tell("value \(String(decoding: characteristic.value ?? Data(), as: UTF8.self))")
  }
}
