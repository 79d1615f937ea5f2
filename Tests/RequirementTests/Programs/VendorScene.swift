import BLESession
import BLETestKit
import CoreBluetooth
import TestSupport

/// A session with a device that answers commands by notifications on the characteristic they were written to.
struct VendorScene {
  let scene: SessionScene
  var world: World { scene.world }
  let commands: CommandQueue
  /// The commands that the device received, in order.
  let told: Locked<[Data]>

  /// - Parameter answers: the device's answers to a command, and after how long.
  static func make(
    in world: World = World(), configuration: SessionConfiguration = SessionConfiguration(),
    onDisconnect policy: DisconnectPolicy = .fail,
    answers: @escaping @Sendable (Data) -> [(after: Duration, value: Data)]
  ) async throws -> VendorScene {
    let scene = await SessionScene.make(in: world, configuration: configuration)
    let told = Locked<[Data]>([])
    let (peripheral, line, clock) = (scene.peripheral, Locked(scene.line), world.clock)
    peripheral.judge = { requests in
      for request in requests {
        guard let value = request.value else { continue }
        told.change { $0.append(value) }
        for answer in answers(value) {
          _ = clock.schedule(after: answer.after, on: peripheral.queue) {
            _ = peripheral.manager.updateValue(answer.value, for: line.value, onSubscribedCentrals: nil)
          }
        }
      }
      return .success
    }
    let commands = CommandQueue(
      scene.session, commandPath: SessionScene.line, answerPath: SessionScene.line, onDisconnect: policy)
    return VendorScene(scene: scene, commands: commands, told: told)
  }
}
