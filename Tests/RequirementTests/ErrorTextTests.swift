import BLETestKit
import CoreBluetooth
import Testing

/// What programs read in the errors that they get, and what the newest of Apple's symbols answer.
@Suite("A3: errors", .keepsCapture)
struct ErrorTextTests {
  /// Answers the reads of its one characteristic with one code after another.
  private final class Refuser: NSObject, CBPeripheralManagerDelegate {
    static let service = CBUUID(string: "FF11")
    private var manager: CBPeripheralManager!
    private var codes: [Int]

    init(_ codes: [Int], options: [String: Any]) {
      self.codes = codes
      super.init()
      manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "refuser"), options: options)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      guard peripheral.state == .poweredOn else { return }
      let service = CBMutableService(type: Self.service, primary: true)
      service.characteristics = [
        CBMutableCharacteristic(
          type: CBUUID(string: "FF22"), properties: .read, value: nil, permissions: .readable)
      ]
      peripheral.add(service)
      peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
      let code = codes.isEmpty ? 0x0E : codes.removeFirst()
      peripheral.respond(to: request, withResult: CBATTError.Code(rawValue: code) ?? .unlikelyError)
    }
  }

  /// Connects, reads as often as requested, and measures distance.
  private final class Reader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private var manager: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private(set) var characteristic: CBCharacteristic?
    private(set) var errors: [any Error] = []
    private(set) var sessions: [(any Error)?] = []

    init(options: [String: Any]) {
      super.init()
      manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "reader"), options: options)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: [Refuser.service]) }
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi RSSI: NSNumber
    ) {
      guard self.peripheral == nil else { return }
      self.peripheral = peripheral
      peripheral.delegate = self
      central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      peripheral.discoverServices([Refuser.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
      if let service = peripheral.services?.first { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
      _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
      characteristic = service.characteristics?.first
    }

    func peripheral(
      _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
      if let error { errors.append(error) }
    }

    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
      sessions.append(error)
    }
  }

  @Test("R3.1 every code of the Attribute Protocol arrives with Apple's domain, number and text")
  func attributeErrors() async throws {
    let texts = [
      0x01: "The handle is invalid.", 0x02: "Reading is not permitted.", 0x03: "Writing is not permitted.",
      0x04: "The command is invalid.", 0x06: "The request is not supported.", 0x07: "The offset is invalid.",
      0x08: "Authorization is insufficient.", 0x09: "The prepare queue is full.",
      0x0A: "The attribute could not be found.", 0x0B: "The attribute is not long.",
      0x0D: "The value's length is invalid.", 0x0E: "Unlikely error.", 0x10: "The group type is unsupported.",
      0x11: "Resources are insufficient.", 0x80: "Unknown ATT error.", 0x9F: "Unknown ATT error.",
      0xE0: "Unknown ATT error.", 0xFF: "Unknown ATT error.",
    ]
    let codes = texts.keys.sorted()
    let world = World()
    let refuser = Refuser(codes, options: world.makeDevice("refuser").options)
    let reader = Reader(options: world.makeDevice("reader").options)
    try await world.wait(within: .seconds(30)) { reader.characteristic != nil }
    let characteristic = try #require(reader.characteristic)
    for _ in codes { reader.peripheral?.readValue(for: characteristic) }
    try await world.wait(within: .seconds(30)) { reader.errors.count == codes.count }
    for (code, error) in zip(codes, reader.errors) {
      let number = error as NSError
      #expect(number.domain == CBATTErrorDomain && number.code == code)
      #expect(error.localizedDescription == texts[code] && number.localizedDescription == texts[code])
      #expect(number.userInfo[NSLocalizedDescriptionKey] as? String == texts[code])
      #expect((error as? CBATTError)?.code.rawValue == code && (error as? CBError) == nil)
    }
    withExtendedLifetime(refuser) {}
  }

  @Test("R3.1 symbols newer than iOS 18 exist, and answer that they are not supported")
  func newerThanTarget() async throws {
    let world = World()
    let refuser = Refuser([], options: world.makeDevice("refuser").options)
    let reader = Reader(options: world.makeDevice("reader").options)
    try await world.wait(within: .seconds(30)) { reader.characteristic != nil }
    #expect(!CBCentralManager.supports(.channelSounding))
    reader.peripheral?.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    try await world.wait(within: .seconds(1)) { reader.sessions.count == 1 }
    let outcome = try #require(reader.sessions.first)
    let error = try #require(outcome)
    #expect((error as? CBError)?.code == .operationNotSupported)
    reader.peripheral?.cancelChannelSoundingSession()
    await world.settle()
    #expect(reader.sessions.count == 1 && reader.peripheral?.state == .connected)
    withExtendedLifetime(refuser) {}
  }
}
