import CoreBluetooth

/// Discoveries as an asynchronous sequence.
final class StreamingCentral: NSObject, CBCentralManagerDelegate {
  let names: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private var manager: CBCentralManager!

  init(options: [String: Any]) {
    (names, continuation) = AsyncStream.makeStream()
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "stream"), options: options)
    continuation.onTermination = { _ in }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return continuation.finish() }
    central.scanForPeripherals(withServices: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String { continuation.yield(name) }
  }
}

final class AsyncStreams: Program {
  func run(on stage: any Stage) async throws {
    let sensor = Sensor("Streamed", options: stage.options("sensor"))
    let central = StreamingCentral(options: stage.options("phone"))
    await stage.pass(5)
    var iterator = central.names.makeAsyncIterator()
    let name = await iterator.next()
    try check(name == "Streamed")
    withExtendedLifetime(sensor) {}
  }
}
