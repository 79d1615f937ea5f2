import BLECore
import BLETestKit
import BLEVirtualRadio
import CoreBluetooth
import TestSupport
import Testing

/// Links whose packets do not pass the integrity check, seen by two whole stacks.
@Suite("Wrong keys")
struct WrongKeys {
  @Test("A13 a long-term key that is not the peer's ends the link with 0x3D where it is noticed, and nothing is read")
  func wrongLongTermKey() async throws {
    let scene = try await BondedDevices.start()
    try await scene.disconnect()
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
    #expect(scene.central.events == [.failedToConnect("sensor", .encryptionTimedOut)])
    #expect(scene.peripheral.subscriptions.isEmpty && scene.phone.bonds.count == 1 && scene.sensor.bonds.count == 1)
  }

  @Test("A13 a packet that fails the integrity check is not delivered, and ends the link with 0x3D in either role")
  func forgedPacket() async throws {
    for isFromSensor in [true, false] {
      let scene = try await BondedDevices.start()
      scene.central.events = []
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
      #expect(try await scene.reconnect() == .value("FF31", "secret"))
      #expect(scene.world.pairingRequests == 1)
    }
  }
}
