import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

/// A phone with a central manager and a device with a peripheral manager, whose delegates record every call.
struct Stage {
  let world: World
  let phone: Device
  let device: Device
  let near: Listener
  let central: CBCentralManager
  let far: Listener
  let peripheralManager: CBPeripheralManager

  init(far: Listener = Listener(), near: Listener = Listener()) {
    world = World()
    phone = world.makeDevice("phone")
    device = world.makeDevice("device")
    self.near = near
    self.far = far
    central = CBCentralManager(delegate: near, queue: near.queue, options: phone.options)
    peripheralManager = CBPeripheralManager(delegate: far, queue: far.queue, options: device.options)
  }

  /// A service FF11 with these characteristics, published.
  @discardableResult
  func publish(_ characteristics: [CBMutableCharacteristic] = []) async -> CBMutableService {
    let service = CBMutableService("FF11", characteristics)
    await world.settle()
    peripheralManager.add(service)
    await world.settle()
    return service
  }

  static func characteristic(
    _ uuid: String, _ properties: CBCharacteristicProperties, value: Data? = nil
  ) -> CBMutableCharacteristic {
    var permissions: CBAttributePermissions = .readable
    if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
    return CBMutableCharacteristic(uuid, properties, permissions, value: value)
  }

  /// The device, called "device", found by the phone.
  func found() async throws -> CBPeripheral {
    await world.settle()
    peripheralManager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    central.scanForPeripherals(withServices: nil)
    let method = "centralManager(_:didDiscover:advertisementData:rssi:)"
    try await world.wait(within: .seconds(10)) { !near.calls(of: method).isEmpty }
    central.stopScan()
    return try near.calls(of: method)[0].argument(1)
  }

  /// A device that publishes these characteristics, where there are any, connected to a phone, which has discovered all of them.
  static func connected(
    _ characteristics: [CBMutableCharacteristic] = [], mtu: Int? = nil
  ) async throws -> (Stage, CBPeripheral) {
    let stage = Stage()
    if let mtu { stage.device.setMaximumTransmissionUnit(mtu) }
    if !characteristics.isEmpty { await stage.publish(characteristics) }
    return (stage, try await stage.connected())
  }

  /// The same, connected, and with all of its services and characteristics discovered. The calls recorded so far are forgotten.
  func connected() async throws -> CBPeripheral {
    let peripheral = try await found()
    central.connect(peripheral)
    try await world.wait(within: .seconds(10)) { peripheral.state == .connected }
    await peripheral.discoverAll(in: world)
    near.forget()
    far.forget()
    return peripheral
  }
}
