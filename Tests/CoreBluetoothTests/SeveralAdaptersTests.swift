import CoreBluetooth
import Foundation
import Testing

/// Records when the adapter's state is known, and discoveries.
private final class Hearer: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
  let state: AsyncStream<Int>
  let found: AsyncStream<String>
  private let tellState: AsyncStream<Int>.Continuation
  private let tellFound: AsyncStream<String>.Continuation

  override init() {
    (state, tellState) = AsyncStream.makeStream()
    (found, tellFound) = AsyncStream.makeStream()
  }

  func firstState() async -> Int? { await state.first { $0 != 0 } }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { tellState.yield(central.state.rawValue) }
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { tellState.yield(peripheral.state.rawValue) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String { tellFound.yield(name) }
  }
}

@Suite("Several adapters in one process")
struct SeveralAdaptersTests {
  @Test(
    "I12.3 managers name their adapters: two of one process find each other on the air; a wrong name is unsupported")
  func byName() async {
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-s-\(getpid())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] { setenv(name, folder.path, 1) }
      // An adapter that no manager here uses.
      setenv("BLE_ADAPTER", "tcp-client:127.0.0.1:1", 1)
      setenv("BLE_LOG", "critical", 1)
      func options(_ name: String) -> [String: Any] { [CBManagerOptionAdapterKey: name] }
      let (lamp, phone, wrong) = (Hearer(), Hearer(), Hearer())
      let queue = DispatchQueue(label: "several")
      let peripheral = CBPeripheralManager(delegate: lamp, queue: queue, options: options("radio:several/lamp"))
      let central = CBCentralManager(delegate: phone, queue: queue, options: options("radio:several/phone"))
      let none = CBCentralManager(delegate: wrong, queue: queue, options: options("radoi"))
      #expect(await lamp.firstState() == CBManagerState.poweredOn.rawValue)
      #expect(await phone.firstState() == CBManagerState.poweredOn.rawValue)
      #expect(await wrong.firstState() == CBManagerState.unsupported.rawValue)
      peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "lamp"])
      central.scanForPeripherals(withServices: nil)
      #expect(await phone.found.first { _ in true } == "lamp")
      withExtendedLifetime(none) {}
    }
  }
}
