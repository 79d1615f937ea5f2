import CoreBluetooth
import Testing

/// What a mock or a subclass of an application inherits: most of it is shown by compiling.
@Suite("Subclasses without initializers of their own")
struct SubclassTests {
  private final class MockCentral: CBCentralManager {
    override var state: CBManagerState { .poweredOn }
    override var isScanning: Bool { true }
  }

  private final class MockPeripheralManager: CBPeripheralManager {
    override var state: CBManagerState { .unauthorized }
    override var isAdvertising: Bool { true }
  }

  private class MockChannel: CBL2CAPChannel {
    override var psm: CBL2CAPPSM { 0x0081 }
  }

  private final class OwnUUID: CBUUID, @unchecked Sendable {
    override var description: String { "own" }
  }

  private final class OwnService: CBMutableService { var label = "service" }
  private final class OwnCharacteristic: CBMutableCharacteristic { var label = "characteristic" }
  private final class OwnDescriptor: CBMutableDescriptor { var label = "descriptor" }
  private final class OwnConfiguration: CBChannelSoundingSessionConfiguration { var label = "configuration" }
  // Can be declared, but not instantiated, as on Apple's systems.
  private class OwnPeripheral: CBPeripheral { override var name: String? { "own" } }
  private class OwnCentral: CBCentral { override var maximumUpdateValueLength: Int { 20 } }
  private class OwnRequest: CBATTRequest { override var offset: Int { 0 } }

  @Test("I11.19 of managers inherit all three initializers")
  func managers() async {
    let adapter = ScriptedAdapter()
    let central = MockCentral(delegate: nil, queue: DispatchQueue(label: "mock"), options: adapter.options)
    let peripheral = MockPeripheralManager(
      delegate: nil, queue: DispatchQueue(label: "mock"), options: adapter.options)
    #expect(central.state == .poweredOn && central.isScanning)
    #expect(peripheral.state == .unauthorized && peripheral.isAdvertising)
    await adapter.settle()
    // Without options a manager is on the adapter of the machine: a process of its own, on one that does not answer.
    await #expect(processExitsWith: .success) {
      setenv("BLE_ADAPTER", "tcp-client:127.0.0.1:1", 1)
      precondition(MockCentral().state == .poweredOn)
      precondition(MockCentral(delegate: nil, queue: nil).isScanning)
      precondition(MockPeripheralManager().isAdvertising)
      precondition(MockPeripheralManager(delegate: nil, queue: nil).state == .unauthorized)
      let make: ((any CBCentralManagerDelegate)?, dispatch_queue_t?) -> MockCentral = MockCentral.init(delegate:queue:)
      precondition(make(nil, nil).delegate == nil)
    }
  }

  @Test("I11.19 of all other classes that programs instantiate inherit their initializers")
  func values() {
    #expect(MockChannel().psm == 0x0081 && MockChannel().inputStream == nil)
    let uuid = OwnUUID(string: "180D")
    #expect(uuid == CBUUID(string: "180D") && "\(uuid)" == "own")
    #expect(OwnUUID(data: Data([0x18, 0x0D])) == uuid && OwnUUID(nsuuid: UUID()) != uuid)
    let characteristic = OwnCharacteristic(type: uuid, properties: .read, value: nil, permissions: .readable)
    #expect(characteristic.label == "characteristic" && characteristic.permissions == .readable)
    #expect(OwnService(type: uuid, primary: true).label == "service")
    let type = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)
    #expect(OwnDescriptor(type: type, value: "text").value as? String == "text")
    #expect(OwnConfiguration(role: .initiator).label == "configuration")
  }
}
