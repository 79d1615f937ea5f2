import BLETestKit
import BLEVirtualRadio
import CoreBluetooth
import Testing

/// Controllers that stop or hang, as the SweynTooth attacks make them do: the host cannot repair them; it has to notice, reset and report
/// that.
@Suite("S18 controllers that stop or hang")
struct ControllerFaultTests {
  @Test("S18 hardware that fails at any moment is reported and reset, and everything works afterwards")
  func hardwareFailures() async throws {
    // Scanning, connecting, discovering, reading: the failure falls into each of these.
    for step in 1...24 {
      try await withWorld(seed: UInt64(step) + 1) { world in
        let patient = Patient(world.makeDevice("patient"))
        let server = Server(world.makeDevice("server"))
        await world.advance(by: .milliseconds(20 * step))
        patient.device.resetController()
        await world.advance(by: .seconds(60))
        #expect(patient.hasRecovered, "step \(step): \(patient.log)")
        #expect(patient.values.last == Server.value, "step \(step): \(patient.log)")
        withExtendedLifetime(server) {}
      }
    }
  }

  @Test("S18 a controller that hangs during a link is noticed and reset, and that is reported")
  func hang() async throws {
    for step in 0..<6 {
      try await withWorld(seed: UInt64(step) + 1) { world in
        let patient = Patient(world.makeDevice("patient"))
        let server = Server(world.makeDevice("server"))
        await world.advance(by: .milliseconds(2_000 + 37 * step))
        #expect(!patient.values.isEmpty, "\(patient.log)")
        patient.device.inject(.hang)
        patient.readAgain()
        // The request's time-out of 30 s, then the command's of 10 s.
        await world.advance(by: .seconds(90))
        #expect(patient.hasRecovered, "\(patient.log)")
        #expect(patient.values.count > 1 && patient.values.last == Server.value, "\(patient.log)")
        withExtendedLifetime(server) {}
      }
    }
  }

  @Test("S18 a controller that runs but delivers nothing ends in the request's time-out, not in a hang")
  func silentLink() async throws {
    try await withWorld(seed: 3) { world in
      let patient = Patient(world.makeDevice("patient"))
      let server = Server(world.makeDevice("server"))
      await world.advance(by: .seconds(2))
      let read = patient.values.count
      #expect(read > 0)
      patient.device.inject(.loseDataToHost(packets: 1))
      patient.readAgain()
      await world.advance(by: .seconds(60))
      #expect(patient.disconnections == 1, "\(patient.log)")
      #expect(patient.values.count > read, "\(patient.log)")
      #expect(patient.manager.state == .poweredOn)
      withExtendedLifetime(server) {}
    }
  }
}

/// A central that wants one value, and starts over whenever it loses its peripheral.
///
/// `@unchecked Sendable`: used on its serial queue only, and looked at while the world is not running.
private final class Patient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  let device: Device
  private(set) var manager: CBCentralManager!
  private var peripheral: CBPeripheral?
  private var characteristic: CBCharacteristic?
  private(set) var values: [Data] = []
  private(set) var disconnections = 0
  private(set) var log: [String] = []

  init(_ device: Device) {
    self.device = device
    super.init()
    manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "patient"), options: device.options)
  }

  /// The fault was reported, and after it that Bluetooth is on again.
  var hasRecovered: Bool {
    guard let fault = log.lastIndex(of: "resetting") else { return false }
    return log[fault...].contains("powered on") && manager.state == .poweredOn
  }

  func readAgain() {
    if let characteristic { peripheral?.readValue(for: characteristic) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: log.append("powered on")
    case .resetting: log.append("resetting")
    default: log.append("state \(central.state.rawValue)")
    }
    seek(central)
  }

  private func seek(_ central: CBCentralManager) {
    characteristic = nil
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [Server.service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    central.stopScan()
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log.append("connected")
    peripheral.discoverServices([Server.service])
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    log.append("disconnected")
    disconnections += 1
    seek(central)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    log.append("failed to connect")
    seek(central)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard let service = peripheral.services?.first else { return }
    peripheral.discoverCharacteristics([Server.characteristic], for: service)
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    characteristic = service.characteristics?.first
    readAgain()
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    log.append(error == nil ? "value" : "no value")
    if error == nil, let value = characteristic.value { values.append(value) }
  }
}

/// A peripheral with one value.
///
/// `@unchecked Sendable`: used on its serial queue only.
private final class Server: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  static let service = CBUUID(string: "FFF0")
  static let characteristic = CBUUID(string: "FFF1")
  static let value = Data("still here".utf8)
  private var manager: CBPeripheralManager!

  init(_ device: Device) {
    super.init()
    manager = CBPeripheralManager(
      delegate: self, queue: DispatchQueue(label: "server"), options: device.options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    let service = CBMutableService(type: Self.service, primary: true)
    // Requested each time: a value cached by the stack would hide a dead link.
    service.characteristics = [
      CBMutableCharacteristic(type: Self.characteristic, properties: .read, value: nil, permissions: .readable)
    ]
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    request.value = Self.value
    peripheral.respond(to: request, withResult: .success)
  }
}
