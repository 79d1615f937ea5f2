import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLETestKit
import BLEVirtualRadio
import BLEWire
import CoreBluetooth
import Synchronization

/// A host whose controllers are hostile, in a world with honest devices.
///
/// `@unchecked Sendable`: the stack is touched by its own rules, the controllers on the loop or while it is not running.
final class BetrayedHost: @unchecked Sendable {
  let world: World
  let stack: HostStack
  let address: DeviceAddress
  let log = HCILog()
  private let chips: Chips

  /// - Parameter prepare: called with each controller before it is opened, and its number, from 0.
  init(
    _ world: World = World(), configuration: ControllerConfiguration = ControllerConfiguration(),
    _ prepare: @escaping (MaliciousController, Int) -> Void = { _, _ in }
  ) {
    self.world = world
    let (chips, address) = (Chips(), HostileDevice.address(0x77))
    self.chips = chips
    self.address = address
    stack = HostStack(
      loop: world.loop, options: HostOptions(randomAddress: address), entropy: SeededEntropy(seed: 7),
      peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 8)), log: Logger(label: "host", sink: log)
    ) { () throws(TransportError) in
      let chip = MaliciousController(world.air.makeController(address: address, configuration: configuration))
      prepare(chip, chips.all.count)
      chips.all.append(chip)
      return chip
    }
    stack.start()
  }

  private final class Chips {
    var all: [MaliciousController] = []
  }

  /// The current controller.
  var chip: MaliciousController { chips.all[chips.all.count - 1] }
  /// How many controllers it has had.
  var chipCount: Int { chips.all.count }
  var options: [String: Any] { [CBManagerOptionAdapterKey: stack as any Adapter] }

  /// Runs a job on the loop, and all that follows in that instant.
  func perform(_ job: @escaping (MaliciousController) -> Void) async {
    let bound = LoopBound((self, job))
    world.loop.submit(from: .common) { bound.value.1(bound.value.0.chip) }
    await world.advance(by: .zero)
  }
}

/// Counts the complaints of the host's side of HCI.
final class HCILog: LogSink {
  let minimumLevel = LogLevel.warning
  private let count = Mutex(0)
  var warnings: Int { count.withLock { $0 } }
  func write(_ level: LogLevel, label: String, _ message: String) {
    if label.contains("hci") { count.withLock { $0 += 1 } }
  }
}
