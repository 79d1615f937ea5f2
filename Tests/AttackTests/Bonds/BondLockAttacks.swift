import BLECore
import BLEHost
import BLETestKit
import CoreBluetooth
import Foundation
import TestSupport
import Testing

/// Another process of the same user that holds the lock of the key file, as a stopped process does.
@Suite("Bond lock attacks", .keepsCapture)
struct BondLockAttacks {
  /// A device with keys in a folder, and an attacker that is connected to it.
  private struct Scene {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-lock-\(UUID().uuidString)").path
    let world = World()
    let device: Device
    let agent = TestAgent()
    let program: PeripheralApp
    let peer: HostileDevice

    init() async throws {
      device = world.makeDevice("victim", keepingPeersIn: folder)
      device.setPairingAgent(agent)
      program = PeripheralApp.safe(device.options)
      peer = HostileDevice(world, address: HostileDevice.address(1))
      peer.behave()
      try await world.wait(within: .seconds(5)) { [program] in program.manager.isAdvertising }
      peer.connect(to: device.address)
      await world.advance(by: .seconds(1))
    }

    /// The descriptor that holds the lock.
    func lock() throws -> Int32 {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/bonds")
      let name = try #require(names.first { $0.hasSuffix(".lock") })
      let descriptor = open(folder + "/bonds/" + name, O_RDWR)
      try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      return descriptor
    }
  }

  @Test(
    "H8 a lock that is never released fails a pairing with an error, the link stays, and the next pairing succeeds")
  func neverFree() async throws {
    let scene = try await Scene()
    defer { try? FileManager.default.removeItem(atPath: scene.folder) }
    let neighbour = try scene.lock()
    scene.peer.pair()
    await scene.world.advance(by: .seconds(2))
    #expect(scene.device.bonds.isEmpty && scene.peer.isConnected)
    #expect(scene.agent.outcomes == [.failed("the keys could not be stored")])
    #expect(scene.peer.commands.last == [0x05, 0x08])
    #expect(await scene.peer.ask("0a" + AttackedPeripheral.secret) == AttackedPeripheral.refusal("05"))
    close(neighbour)
    await scene.world.advance(by: .seconds(70))
    scene.peer.pair()
    await scene.world.advance(by: .seconds(2))
    #expect(scene.device.bonds.map(\.address) == [scene.peer.address])
    #expect(await scene.peer.ask("0a" + AttackedPeripheral.secret) == ["0b" + "736563726574"])
  }

  @Test("H8 a lock that another process releases after a while delays a pairing, and nothing else")
  func freeAfterAWhile() async throws {
    let scene = try await Scene()
    defer { try? FileManager.default.removeItem(atPath: scene.folder) }
    let neighbour = try scene.lock()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { close(neighbour) }
    scene.peer.pair()
    await scene.world.advance(by: .seconds(2))
    #expect(scene.device.bonds.map(\.address) == [scene.peer.address])
    #expect(scene.agent.outcomes == [.paired(.justWorks, isBonded: true)])
    #expect(await scene.peer.ask("0a" + AttackedPeripheral.secret) == ["0b" + "736563726574"])
  }
}
