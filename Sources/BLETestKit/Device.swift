import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEVirtualRadio
import CoreBluetooth
import Synchronization

/// One device of a world: a whole Bluetooth stack on a simulated radio, and what can happen to it.
///
/// Programs come onto the device by `options`. What the verbs do takes effect at the beginning of the next `settle`,
/// `advance` or `wait` of the world.
public final class Device: Sendable {
  /// What people call it; nothing is advertised by it.
  public let name: String
  /// Its random static address. Programs never see it.
  public let address: DeviceAddress
  /// The keys that it keeps. They outlive its processes and resets of its controller.
  let bondStore: any BondStore
  let radio: LoopBound<DeviceRadio>
  private let loop: VirtualLoop
  private let states = LoopBound(MemoryStateStore())
  /// Makes the process that is the so-and-so-many-th on this device.
  private let makeProcess: @Sendable (_ launch: UInt64) -> DeviceProcess
  private let running: Mutex<DeviceProcess>

  init(name: String, number: Int, world: World, position: Position, folder: String?) {
    self.name = name
    loop = world.loop
    let entropy = SeededEntropy(seed: world.seed).fork(UInt64(number) + 1)
    address = DeviceAddress(entropy.next() | 0b11 << 46, kind: .random)
    let radio = DeviceRadio(name: name, address: address, position: position, air: world.air)
    let tap = world.recorder.tap(of: name)
    let log = world.log.labelled(name)
    let peerStore: any PeerStore =
      if let folder {
        // A secret from the world's seed would be the same in the next world: identifiers could agree by chance alone.
        FilePeerStore(folder: folder, entropy: SystemEntropy(), log: log)
      } else {
        MemoryPeerStore(entropy: entropy.fork(2))
      }
    let bondStore: any BondStore =
      if let folder { FileBondStore(folder: folder + "/bonds", log: log) } else { MemoryBondStore() }
    self.bondStore = bondStore
    radio.tap = tap
    let (carriedRadio, carriedStates) = (LoopBound(radio), states)
    let (loop, address, seed) = (world.loop, address, entropy.seed)
    makeProcess = { launch in
      let processLoop = ProcessLoop(loop)
      let stack = HostStack(
        loop: processLoop, options: HostOptions(name: name, randomAddress: address, pairingAgent: SilentAgent()),
        entropy: SeededEntropy(seed: seed).fork(1 + 2 * launch), peerStore: peerStore, bondStore: bondStore,
        stateStore: carriedStates.value,
        log: log, tap: carriedRadio.value
      ) { () throws(TransportError) in try carriedRadio.value.makeTransport() }
      return DeviceProcess(launch: launch, stack: stack, loop: processLoop)
    }
    self.radio = carriedRadio
    running = Mutex(makeProcess(0))
    stack.start()
  }

  /// The stack of the process that runs on it now.
  var stack: HostStack { running.withLock { $0.stack } }

  /// What brings a manager onto this device: `CBCentralManager(delegate: self, queue: queue, options: phone.options)`.
  /// Computed anew each time, so that it can be merged with options of the program's own.
  public var options: [String: Any] { [CBManagerOptionAdapterKey: stack as any Adapter] }

  // MARK: The application

  /// The process on this device dies as by `kill -9`: its managers never hear or do anything again, its links fall silent, and
  /// peers notice that in their own time. The device is ready for the next process at once: what `options` says from now on
  /// brings managers into that one. Managers with a restore identifier get there what those of the dead process left.
  public func terminateProcess() {
    let (dead, next) = running.withLock { running in
      let dead = running
      running = makeProcess(dead.launch + 1)
      return (dead, running)
    }
    let (radio, states) = (radio, states)
    loop.submit(from: .common) {
      dead.loop.die()
      states.value.processDied()
      radio.value.processDied()
      dead.stack.abandon()
    }
    next.stack.start()
  }

  /// The system puts the application on this device into the background. Scans give what their filters ask for and nothing
  /// without one, each content once, and more slowly. Advertising is slower and without the name, with all services in the
  /// overflow area, where only those find them who look for them.
  public func enterBackground() { stack.setInBackground(true) }
  /// The application comes to the front again, and all is as it asked for.
  public func enterForeground() { stack.setInBackground(false) }

  // MARK: The adapter

  /// What its advertisements carry besides what programs ask for: the company's number, least significant octet first, and what
  /// follows it. No program can ask for that.
  public func setManufacturerData(_ octets: [UInt8]?) { stack.setManufacturerData(octets) }

  /// The user switches Bluetooth off: links are closed, programs see `poweredOff`.
  public func powerOff() { stack.powerOff() }
  /// The user switches Bluetooth on.
  public func powerOn() { stack.powerOn() }
  /// The user takes the permission away: programs see `unauthorized`.
  public func denyBluetooth() { stack.denyBluetooth() }
  /// The user lets the program use Bluetooth.
  public func allowBluetooth() { stack.allowBluetooth() }
  /// The controller's hardware fails and recovers: programs see `resetting`, then `poweredOn`.
  public func resetController() { onLoop { $0.controller?.failHardware(code: 0x01) } }
  /// The controller is pulled out: programs see `resetting`, then `unsupported`.
  public func removeController() { onLoop { $0.unplug() } }
  /// The controller is put back; `powerOn` then makes the stack look for it.
  public func insertController() { onLoop { $0.isPlugged = true } }

  /// The longest ATT PDU that it takes on connections that are yet to come, 23 to 517 octets (517).
  public func setMaximumTransmissionUnit(_ octets: Int) { stack.setMaximumTransmissionUnit(octets) }

  /// Returns when what the device knows of its peers is in its folder; see `World.makeDevice`.
  public func flushPeers() { stack.directory.flush() }

  // MARK: The place

  /// Carried out of everybody's reach. Connections are lost when their supervision time-out has passed.
  public func moveAway() { onLoop { $0.isAway = true } }
  /// Carried back to where it was.
  public func comeBack() { onLoop { $0.isAway = false } }
  /// Puts it somewhere else: signal and loss follow from the distance.
  public func move(to position: Position) { onLoop { $0.position = position } }
  /// Its battery is pulled out: peers see a radio that fell silent. `comeBack` has no effect on it; `restorePower` has.
  public func cutPower() { onLoop { $0.isSilent = true } }
  /// It has a battery again.
  public func restorePower() { onLoop { $0.isSilent = false } }
  /// Falls silent at the moment at which somebody has connected to it, before a word has been exchanged.
  public func cutPowerWhenConnected() { onLoop { $0.losesPowerWhenConnected = true } }
  /// In dBm, -127 to 20.
  public func setTransmitPower(_ power: Int8) { onLoop { $0.transmitPower = power } }
  /// Something no radio does by itself: the next packets or commands get lost inside its controller.
  public func inject(_ fault: ControllerFault) { onLoop { $0.controller?.inject(fault) } }
  /// What kind of controller it has from its next start on: smaller, older, or with bad habits.
  public func setController(_ configuration: ControllerConfiguration) { onLoop { $0.configuration = configuration } }

  func onLoop(_ job: @escaping @Sendable (DeviceRadio) -> Void) {
    let radio = radio
    loop.submit(from: .common) { job(radio.value) }
  }
}

extension World {
  /// How packets get lost between two devices, both ways; `nil` goes back to what distance does.
  public func setLoss(_ model: LossModel?, between first: Device, and second: Device) {
    let radios = (first.radio, second.radio)
    loop.submit(from: .common) { [self] in
      guard let one = radios.0.value.controller, let other = radios.1.value.controller else { return }
      air.setLoss(model, between: one, and: other)
    }
  }
}
