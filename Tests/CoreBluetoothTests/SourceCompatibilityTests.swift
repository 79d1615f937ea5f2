import CoreBluetooth
import Testing

/// Spellings that programs use; most of it is shown by compiling.
@Suite("Sources of programs")
struct SourceCompatibilityTests {
  /// Swift 6: UUIDs are stored in constants everywhere.
  private static let heartRate = CBUUID(string: "180D")
  private static let everything: [CBUUID: String] = [heartRate: "heart rate"]

  @MainActor
  private final class Model {
    var name: String?
  }

  private final class Delegate: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      switch central.state {
      case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff: break
      case .poweredOn: central.scanForPeripherals(withServices: [heartRate], options: nil)
      @unknown default: break
      }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      if peripheral.state != .poweredOn { return }
      peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [heartRate]])
    }
  }

  @Test("enumerations switch, compare and print as Apple's do")
  func enumerations() {
    #expect(CBManagerState.poweredOn.rawValue == 5)
    #expect(CBPeripheralState(rawValue: 2) == .connected)
    #expect(CBCharacteristicWriteType.withoutResponse.rawValue == 1)
    #expect(CBPeripheralManagerConnectionLatency.high.rawValue == 2)
    #expect(CBConnectionEvent.peerConnected.rawValue == 1)
    #expect(CBManagerAuthorization.allowedAlways.rawValue == 3)
    #expect([CBManagerState.poweredOn: 1][.poweredOn] == 1)
  }

  @Test("option sets combine")
  func optionSets() {
    let properties: CBCharacteristicProperties = [.read, .notify]
    #expect(properties.rawValue == 0x12)
    #expect(properties.contains(.notify) && !properties.contains(.write))
    #expect(CBAttributePermissions([.readable, .writeEncryptionRequired]).rawValue == 9)
    #expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue == 1)
  }

  @Test("the names that come with Foundation and Dispatch exist")
  func exports() {
    let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    #expect(time > 700_000_000)
    let queue: dispatch_queue_t = DispatchQueue(label: "test")
    #expect(queue.label == "test")
    let multiplexer: CBL2CAPPSM = 0x80
    #expect(multiplexer == 128)
    #expect(Self.everything[CBUUID(string: "0000180d-0000-1000-8000-00805f9b34fb")] == "heart rate")
  }

  @Test("attributes are described in Apple's form")
  func descriptions() throws {
    let characteristic = PeripheralFixture.dynamic()
    let text = "UUID = FF22, Value = (null), Properties = 0x1A, Permissions = 0x3, Descriptors = (null), "
    #expect(characteristic.description.hasSuffix(" \(text)SubscribedCentrals = (\n)>"))
    #expect("\(characteristic)".hasPrefix("<CBMutableCharacteristic: 0x"))
    let service = CBMutableService(type: CBUUID(string: "FF11"), primary: false)
    service.includedServices = [service]
    let included = "<CBMutableService: 0x[0-9a-f]+ UUID = FF11>"
    let pattern =
      "<CBMutableService: 0x[0-9a-f]+ Primary = NO, UUID = FF11, Included Services = \\(\n    \"\(included)\"\n\\), "
      + "Characteristics = \\(null\\)>"
    #expect(try Regex(pattern).wholeMatch(in: service.description) != nil, "\(service)")
    service.includedServices = nil
  }
}
