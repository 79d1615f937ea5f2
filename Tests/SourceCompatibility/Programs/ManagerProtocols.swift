import CoreBluetooth

/// Protocols on the managers, so that tests can replace them.
protocol CentralManagerType: AnyObject {
  var delegate: CBCentralManagerDelegate? { get set }
  var isScanning: Bool { get }
  var state: CBManagerState { get }
  func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]?)
  func stopScan()
  func connect(_ peripheral: CBPeripheral, options: [String: Any]?)
  func cancelPeripheralConnection(_ peripheral: CBPeripheral)
  func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral]
  func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral]
}

protocol PeripheralManagerType: AnyObject {
  var delegate: CBPeripheralManagerDelegate? { get set }
  var isAdvertising: Bool { get }
  var state: CBManagerState { get }
  func add(_ service: CBMutableService)
  func remove(_ service: CBMutableService)
  func removeAllServices()
  func startAdvertising(_ advertisementData: [String: Any]?)
  func stopAdvertising()
  func respond(to request: CBATTRequest, withResult result: CBATTError.Code)
  func updateValue(
    _ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?
  )
    -> Bool
  func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral)
  func publishL2CAPChannel(withEncryption encryptionRequired: Bool)
  func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM)
}

extension CBCentralManager: CentralManagerType {}
extension CBPeripheralManager: PeripheralManagerType {}

final class ManagerProtocols: Program {
  func run(on stage: any Stage) async throws {
    let central: CentralManagerType = CBCentralManager(
      delegate: nil, queue: DispatchQueue(label: "central"), options: stage.options("phone"))
    let peripheral: PeripheralManagerType = CBPeripheralManager(
      delegate: nil, queue: DispatchQueue(label: "peripheral"), options: stage.options("sensor"))
    try await stage.wait { central.state == .poweredOn && peripheral.state == .poweredOn }
    central.scanForPeripherals(withServices: nil, options: nil)
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "typed"])
    try await stage.wait { central.isScanning && peripheral.isAdvertising }
    central.stopScan()
    peripheral.stopAdvertising()
    peripheral.removeAllServices()
    try check(!central.isScanning && central.delegate == nil && peripheral.delegate == nil)
    try check(central.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
  }
}
