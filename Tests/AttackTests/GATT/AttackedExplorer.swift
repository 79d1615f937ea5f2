import BLETestKit
import CoreBluetooth
import TestSupport

/// A world with an app in it that walks through whole databases, and a hostile peripheral that it is connected to.
struct AttackedExplorer {
  let world: World
  let device: Device
  let program: CentralApp
  let attacker: HostileDevice

  /// - Parameter server: the hostile device's honest self, before `forgeAttribute` has its say.
  static func start(
    _ server: OpenServer = OpenServer(), _ prepare: (HostileDevice) -> Void = { _ in }
  ) async throws -> AttackedExplorer {
    let world = World()
    let device = world.makeDevice("victim")
    let attacker = HostileDevice(world, address: HostileDevice.address(1))
    attacker.server = server.gatt
    prepare(attacker)
    attacker.advertise("Hostile")
    let program = CentralApp(device.options, seeking: "Hostile", discovering: .descriptors)
    let scene = AttackedExplorer(world: world, device: device, program: program, attacker: attacker)
    try await world.wait(within: .seconds(60)) { program.isDone }
    return scene
  }

  /// A fresh link, and another walk on it.
  func reconnect() async throws {
    let count = attacker.connectionCount
    program.disconnect()
    try await world.wait(within: .seconds(10)) { [attacker] in !attacker.isConnected }
    await world.advance(by: .milliseconds(500))
    attacker.forgetWhatCame()
    program.forget()
    program.connect()
    try await world.wait(within: .seconds(60)) { [attacker, program] in
      attacker.connectionCount > count && program.told.first == "connected Hostile" && program.isDone
    }
  }
}
