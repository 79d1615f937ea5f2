import BLEAdapter
import BLECore
import CoreBluetooth
import Testing

/// A program with a central manager on a scripted stack.
struct CentralFixture {
  let adapter: ScriptedAdapter
  let recorder = CentralRecorder()
  let manager: CBCentralManager

  init(
    _ state: AdapterState = .poweredOn, options: [String: Any] = [:], observer: (any ProgramObserver)? = nil
  ) async {
    adapter = ScriptedAdapter(state, observer: observer)
    let all = adapter.options.merging(options) { $1 }
    manager = CBCentralManager(delegate: recorder, queue: recorder.queue, options: all)
    await adapter.settle()
    recorder.clear()
  }

  /// A peripheral that the program retains.
  func found(_ peer: PeerIdentifier = .first) async throws -> CBPeripheral {
    manager.scanForPeripherals(withServices: nil)
    await adapter.settle()
    await adapter.central.discover(peer)
    let peripheral = try #require(recorder.found.last)
    manager.stopScan()
    await adapter.settle()
    recorder.clear()
    return peripheral
  }

  /// The same, connected to `link`.
  func connected(_ link: ScriptedLink) async throws -> CBPeripheral {
    let peripheral = try await found(link.peer)
    peripheral.delegate = recorder
    manager.connect(peripheral)
    await adapter.settle()
    try #require(peripheral.state == .connected)
    recorder.clear()
    return peripheral
  }
}

/// A connected peripheral with its services and characteristics discovered.
struct ConnectedFixture {
  let central: CentralFixture
  let link: ScriptedLink
  let peripheral: CBPeripheral
  let characteristic: CBCharacteristic

  var adapter: ScriptedAdapter { central.adapter }
  var recorder: CentralRecorder { central.recorder }

  init(properties: UInt8 = 0x3E, observer: (any ProgramObserver)? = nil) async throws {
    central = await CentralFixture(observer: observer)
    link = ScriptedLink(.first, central.adapter)
    link.layOut(properties: properties)
    peripheral = try await central.connected(link)
    peripheral.discoverServices(nil)
    await central.adapter.settle()
    for service in try #require(peripheral.services) { peripheral.discoverCharacteristics(nil, for: service) }
    await central.adapter.settle()
    characteristic = try #require(peripheral.services?.first?.characteristics?.first)
    central.recorder.clear()
  }
}
