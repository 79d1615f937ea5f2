import BLECore
import BLETestKit
import BLEVirtualRadio
import CoreBluetooth
import Testing

/// Links whose packets do not pass the integrity check, seen by two whole stacks.
@Suite("Wrong keys")
struct WrongKeys {
  private struct Bonded {
    let world = World()
    let phone: Device
    let sensor: Device
    let peripheral: VictimPeripheral
    let central: VictimCentral

    init() async throws {
      (phone, sensor) = (world.makeDevice("phone"), world.makeDevice("sensor"))
      peripheral = VictimPeripheral(sensor)
      let central = VictimCentral(phone, lookingFor: "Safe")
      self.central = central
      try await world.wait(within: .seconds(10)) { central.isDiscovered }
      central.read("FF31")
      await world.settle()
      try #require(central.events.last == .value("FF31", "secret"))
      central.events = []
    }
  }

  @Test("A13 a long-term key that is not the peer's ends the link with 0x3D where it is noticed, and nothing is read")
  func wrongLongTermKey() async throws {
    let scene = try await Bonded()
    if let found = scene.central.peripheral { scene.central.manager.cancelPeripheralConnection(found) }
    await scene.world.advance(by: .seconds(1))
    scene.sensor.corruptBonds()
    scene.sensor.powerOff()
    await scene.world.settle()
    scene.sensor.powerOn()
    await scene.world.advance(by: .seconds(1))
    scene.central.events = []
    scene.central.connect()
    await scene.world.advance(by: .seconds(40))
    // The side that cannot decrypt sends nothing more (Core, Vol 6 Part B 5.1.3.1): the other one times out.
    #expect(scene.world.endReasons(at: scene.sensor).last == 0x3D)
    #expect(scene.world.endReasons(at: scene.phone).last == 0x08)
    #expect(scene.central.events == [.failed(.encryptionTimedOut)])
    #expect(scene.peripheral.subscribers.isEmpty && scene.phone.bonds.count == 1 && scene.sensor.bonds.count == 1)
  }

  @Test("A13 a packet that fails the integrity check is not delivered, and ends the link with 0x3D in either role")
  func forgedPacket() async throws {
    for isFromSensor in [true, false] {
      let scene = try await Bonded()
      let (sender, receiver) = isFromSensor ? (scene.sensor, scene.phone) : (scene.phone, scene.sensor)
      sender.inject(.spoilEncryptedPackets(count: 1))
      if isFromSensor { scene.central.read("FF31") } else { scene.central.writeCommand("forged", to: "FF31") }
      await scene.world.advance(by: .seconds(20))
      #expect(scene.world.endReasons(at: receiver) == [0x3D])
      #expect(scene.world.endReasons(at: sender) == [0x08])
      #expect(scene.central.events.count == 1 && scene.peripheral.writes.isEmpty)
      guard case .disconnected? = scene.central.events.first else {
        Issue.record("\(scene.central.events)")
        continue
      }
      // The keys are right: the next link is encrypted with them.
      scene.central.connect()
      try await scene.world.wait(within: .seconds(10)) { scene.central.isDiscovered }
      scene.central.read("FF31")
      await scene.world.settle()
      #expect(scene.central.events.last == .value("FF31", "secret"))
      #expect(scene.world.pairingRequests == 1)
    }
  }
}
