import BLETestKit
import CoreBluetooth
import TestSupport

/// A device that publishes, and a phone that is connected to it and has discovered everything.
struct Pair: Encounter {
  let world: World
  let device: Device
  let phone: Device
  let publisher: PeripheralApp
  let central: CentralApp
  let peripheral: CBPeripheral
  var found: CBPeripheral { peripheral }

  /// - Parameter mtu: the longest ATT PDU that the device accepts.
  static func start(_ services: [CBMutableService], mtu: Int = 517) async throws -> Pair {
    let world = World()
    let device = world.makeDevice("device")
    let phone = world.makeDevice("phone")
    device.setMaximumTransmissionUnit(mtu)
    let publisher = PeripheralApp(device.options)
    let central = CentralApp(phone.options)
    await world.settle()
    for service in services { publisher.manager.add(service) }
    publisher.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "device"])
    let peripheral = try await central.meet(in: world)
    publisher.told = []
    central.forget()
    return Pair(
      world: world, device: device, phone: phone, publisher: publisher, central: central, peripheral: peripheral)
  }

  /// Another phone, connected as well.
  func join(_ name: String) async throws -> (central: CentralApp, peripheral: CBPeripheral) {
    let central = CentralApp(world.makeDevice(name).options)
    let peripheral = try await central.meet(in: world)
    central.forget()
    return (central, peripheral)
  }
}
