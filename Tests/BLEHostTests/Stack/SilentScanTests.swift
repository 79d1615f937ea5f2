import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import BLEWire
import Synchronization
import Testing

@Suite("A scan that stops receiving") struct SilentScanTests {
  /// A phone whose controller can stop receiving, beside a toy that advertises.
  private final class Scene: @unchecked Sendable {
    let world = StackWorld()
    let stack: HostStack
    let central: TestCentral
    let toy: TestPeripheral
    let log = Lines()
    private let box: Box
    private final class Box { var transport: WrappedTransport? }

    var transport: WrappedTransport? { box.transport }

    init(_ configuration: ControllerConfiguration = ControllerConfiguration()) async throws {
      let (world, box) = (world, Box())
      self.box = box
      stack = HostStack(
        loop: world.loop, entropy: SeededEntropy(seed: 1),
        peerStore: MemoryPeerStore(entropy: SeededEntropy(seed: 2)), log: Logger(label: "", sink: log)
      ) { () throws(TransportError) in
        let controller = world.air.makeController(
          address: DeviceAddress(0xAA01, kind: .public), configuration: configuration)
        let transport = WrappedTransport(controller)
        box.transport = transport
        return transport
      }
      stack.start()
      toy = try await world.makeChat(on: world.makeDevice(2))
      central = TestCentral(stack)
      let central = central
      try await world.wait { central.states.last == .poweredOn }
    }
  }

  private final class Lines: LogSink {
    private let kept = Mutex<[String]>([])
    let minimumLevel = LogLevel.notice
    var lines: [String] { kept.withLock { $0 } }
    func write(_ level: LogLevel, label: String, _ message: String) { kept.withLock { $0.append(message) } }
  }

  @Test("I12.5 it is restarted, logs that, and loses nothing", arguments: [true, false])
  func beginsAgain(hasExtended: Bool) async throws {
    let scene = try await Scene(ControllerConfiguration(quirks: hasExtended ? [] : .noExtendedAdvertising))
    let (world, central) = (scene.world, scene.central)
    try await world.find(central)
    await world.advance(.seconds(70))
    let transport = try #require(scene.transport)
    #expect(transport.scanStarts == 1)
    await world.perform { transport.isDeafUntilScanStarts = true }
    await world.advance(.seconds(29))
    #expect(transport.scanStarts == 1 && scene.log.lines.isEmpty)
    await world.advance(.seconds(31))
    #expect(transport.scanStarts == 2)
    #expect(scene.log.lines.count == 1 && scene.stack.counters.restartedScans == 1)
    let line = try #require(scene.log.lines.first)
    #expect(line.hasPrefix("the scan is restarted: nothing was heard for 30 s, after "))
    // The scan keeps its state: devices already reported are not repeated, and new ones are reported.
    #expect(central.discoveries.count == 1)
    await world.perform {
      scene.toy.role.stopAdvertising()
      scene.toy.advertise("Other", [Chat.service])
    }
    await world.advance(.seconds(5))
    #expect(central.discoveries.map(\.content.localName) == ["My dear", "Other"])
  }

  @Test("I12.5 it is restarted rarely where that does not help, as where the devices have left")
  func isRateLimited() async throws {
    let scene = try await Scene()
    let world = scene.world
    try await world.find(scene.central)
    await world.advance(.seconds(70))
    await world.perform { scene.toy.role.stopAdvertising() }
    await world.advance(.seconds(3_600))
    let transport = try #require(scene.transport)
    // Half a minute, then 1, 2, 4, 8 and 16 minutes.
    #expect(transport.scanStarts == 1 + 6)
    // An hour at most.
    await world.advance(.seconds(86_400))
    #expect((24...34).contains(transport.scanStarts))
    await world.perform { scene.toy.advertise("Back", [Chat.service]) }
    await world.advance(.seconds(5))
    #expect(scene.central.discoveries.last?.content.localName == "Back")
  }

  @Test("I12.5 a scan that never found anything, or a program that does not scan, costs no more than before")
  func idle() async throws {
    let scene = try await Scene()
    let world = scene.world
    await world.perform { scene.toy.role.stopAdvertising() }
    await world.advance(.seconds(60))
    func steps() async -> UInt64 {
      let before = world.loop.standing.steps
      await world.advance(.seconds(3_600))
      return world.loop.standing.steps - before
    }
    let idle = await steps()
    await world.perform { scene.central.role.startScan(ScanParameters()) }
    await world.advance(.seconds(60))
    let transport = try #require(scene.transport)
    await world.advance(.seconds(3_600))
    #expect(transport.scanStarts == 1 && scene.log.lines.isEmpty)
    await world.perform { scene.central.role.stopScan() }
    await world.advance(.seconds(60))
    #expect(await steps() == idle)
  }
}
