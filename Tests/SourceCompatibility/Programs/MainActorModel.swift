import CoreBluetooth

/// A model on the main actor, whose delegate passes values and not objects.
@MainActor
final class DeviceList {
  struct Row: Equatable, Sendable {
    var identifier: UUID
    var name: String
  }

  private(set) var rows: [Row] = []

  func add(_ row: Row) {
    if !rows.contains(row) { rows.append(row) }
  }
}

final class ModelDelegate: NSObject, CBCentralManagerDelegate, Sendable {
  let found: AsyncStream<DeviceList.Row>
  private let continuation: AsyncStream<DeviceList.Row>.Continuation

  override init() {
    (found, continuation) = AsyncStream.makeStream()
    super.init()
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard let name = peripheral.name else { return }
    let row = DeviceList.Row(identifier: peripheral.identifier, name: name)
    continuation.yield(row)
    continuation.finish()
  }
}

final class MainActorModel: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Model", options: stage.options("sensor"))
    let list = await DeviceList()
    let delegate = ModelDelegate()
    let manager = CBCentralManager(
      delegate: delegate, queue: DispatchQueue(label: "model"), options: stage.options("phone"))
    await stage.pass(5)
    for await row in delegate.found { await list.add(row) }
    let names = await list.rows.map(\.name)
    try check(names == ["Model"])
    withExtendedLifetime((sensor, manager)) {}
  }
}
