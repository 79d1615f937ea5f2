import BLECapture
import BLECore
import BLEDefaultStack
import BLEFaults
import BLEHCI
import BLEHost
import BLESession
import BLEVirtualRadio
import Dispatch
import Synchronization

/// One device of a demo's air: its place, its radio and its stack.
final class DemoRadio: Sendable {
  struct Place: Sendable {
    var position: Position
    var isOn = true
    var faults: [Fault] = []
    /// How often they have struck.
    var strikes = 0
  }

  let name: String
  let stack: HostStack
  /// Of the stack.
  let packets: RecentPackets?
  private let loop: VirtualLoop
  private let current: Mutex<Place>
  private let controllers: LoopBound<Controllers>

  /// The controller of the moment: a stack that starts again makes a new one. On the loop.
  private final class Controllers {
    var controller: VirtualController?
    var place: Place

    init(_ place: Place) { self.place = place }

    func apply() {
      controller?.move(to: place.position)
      if place.isOn { controller?.comeBack() } else { controller?.silence() }
    }
  }

  init(
    _ name: String, number: Int, at position: (x: Double, y: Double), on air: LoopBound<Air>, _ loop: VirtualLoop,
    keepsPackets: Bool = false
  ) {
    packets = keepsPackets ? RecentPackets(origin: .virtualOrigin) : nil
    self.name = name
    self.loop = loop
    let place = Place(position: Position(x: position.x, y: position.y))
    current = Mutex(place)
    let controllers = LoopBound(Controllers(place))
    self.controllers = controllers
    // The same in each demo, so that a browser recognizes them.
    let entropy = SeededEntropy(seed: 0x6465_6D6F).fork(UInt64(number))
    let address = DeviceAddress(entropy.next() & 0x3FFF_FFFF_FFFF | 0b11 << 46, kind: .random)
    stack = HostStack(
      loop: loop, options: HostOptions(name: name, randomAddress: address), entropy: SystemEntropy(),
      peerStore: MemoryPeerStore(entropy: entropy.fork(1)), tap: packets
    ) { () throws(TransportError) in
      var configuration = ControllerConfiguration()
      configuration.name = name
      let made = air.value.makeController(
        address: address, position: controllers.value.place.position, configuration: configuration)
      controllers.value.controller = made
      controllers.value.apply()
      return made
    }
    stack.start()
  }

  var place: Place { current.withLock { $0 } }

  /// Sets the faults in place of those before.
  /// - Parameter strikes: called for each that strikes, on the loop.
  func setFaults(_ faults: [Fault], _ strikes: @escaping @Sendable (Fault) -> Void) {
    current.withLock { place in (place.faults, place.strikes) = (faults, 0) }
    stack.setFaults(faults, seed: SystemEntropy().next()) { [weak self] fault, _ in
      self?.current.withLock { $0.strikes += 1 }
      strikes(fault)
    }
  }

  func set(x: Double?, y: Double?, isOn: Bool?) {
    let place = current.withLock { place in
      if let x { place.position.x = x }
      if let y { place.position.y = y }
      if let isOn { place.isOn = isOn }
      return place
    }
    loop.submit(from: .common) { [controllers] in
      controllers.value.place = place
      controllers.value.apply()
    }
  }
}

/// The time of a demo's air, for sessions.
struct DemoClock: SessionClock {
  struct Timer: SessionTimer {
    fileprivate let timer: VirtualTimer
    func cancel() { timer.cancel() }
  }

  private let clock: VirtualClock

  init(_ clock: VirtualClock) { self.clock = clock }

  var now: Duration { clock.now }

  func schedule(after delay: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) -> Timer {
    Timer(timer: clock.schedule(after: delay, on: queue, action))
  }

  func run(on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) { clock.run(on: queue, action) }
}
