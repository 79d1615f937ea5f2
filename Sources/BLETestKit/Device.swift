import BLEAdapter
import BLECore
import BLEHCI
import BLEHost
import BLEState
import BLEVirtualRadio
import CoreBluetooth
import Synchronization

/// One device of a world: a whole Bluetooth stack on a simulated radio, and the events that a test can cause.
///
/// A manager is created on the device by passing `options`. The effect of a method begins with the next `settle`, `advance` or
/// `wait` of the world.
public final class Device: Sendable {
  /// The name for people; it is not advertised.
  public let name: String
  /// Its random static address. Programs do not see it.
  public let address: DeviceAddress
  /// Its place among the devices of the world.
  private let number: Int
  private let marks: WorldMarks
  /// The stored keys. They survive its processes and resets of its controller.
  let bondStore: any BondStore
  let radio: LoopBound<DeviceRadio>
  private let observer: DeviceProgramObserver
  private let loop: VirtualLoop
  private let states = LoopBound(MemoryStateStore())
  /// Makes the process with this launch number on this device.
  private let makeProcess: @Sendable (_ launch: UInt64) -> DeviceProcess
  private let running: Mutex<DeviceProcess>
  /// What holds for all of its processes.
  private let settings = Mutex(DeviceSettings())
  /// Starts the programs of `World.launch` again, in the order of their first launches.
  private let launches = Mutex<[@Sendable () -> Void]>([])
  let faultBox: FaultBox

  init(name: String, number: Int, world: World, position: Position?, folder: String?) {
    self.name = name
    self.number = number
    marks = world.marks
    loop = world.loop
    let entropy = SeededEntropy(seed: world.seed).fork(UInt64(number) + 1)
    address = DeviceAddress(entropy.next() | 0b11 << 46, kind: .random)
    let radio = DeviceRadio(name: name, address: address, position: position, air: world.air)
    world.trial?.stage.prepare(&radio.configuration, ofDevice: name, number: number)
    if world.trial != nil { radio.procedures = ProcedureWatch() }
    let tap = world.recorder.tap(of: name)
    let log = world.log.labelled(name)
    faultBox = FaultBox(device: name, seed: entropy.fork(0x6661_756C_74).seed, log: log, into: world.faultRecord)
    let peerStore: any PeerStore =
      if let folder {
        // A secret derived from the world's seed would be the same in the next world, where identifiers could then agree by chance.
        FilePeerStore(folder: folder, entropy: SystemEntropy(), log: log)
      } else {
        MemoryPeerStore(entropy: entropy.fork(2))
      }
    let bondStore: any BondStore =
      if let folder { FileBondStore(folder: folder + "/bonds", log: log) } else { MemoryBondStore() }
    self.bondStore = bondStore
    radio.tap = tap
    let observer = DeviceProgramObserver(
      world.programRecord, device: number, named: name, rules: world.promises.rules)
    self.observer = observer
    radio.observer = observer
    let (carriedRadio, carriedStates) = (LoopBound(radio), states)
    let (loop, address, seed) = (world.loop, address, entropy.seed)
    let latency = world.trial?.stage.latency(ofDevice: name, number: number)
    makeProcess = { launch in
      let processLoop = ProcessLoop(loop, latency: latency)
      let stack = HostStack(
        loop: processLoop, options: HostOptions(name: name, randomAddress: address, pairingAgent: SilentAgent()),
        entropy: SeededEntropy(seed: seed).fork(1 + 2 * launch), peerStore: peerStore, bondStore: bondStore,
        stateStore: carriedStates.value,
        log: log, tap: carriedRadio.value
      ) { () throws(TransportError) in try carriedRadio.value.makeTransport() }
      stack.programObserver = observer
      return DeviceProcess(launch: launch, stack: stack, loop: processLoop)
    }
    self.radio = carriedRadio
    running = Mutex(makeProcess(0))
    if let setting = world.setting { onLoop { $0.enter(setting, number: number) } }
    stack.start()
  }

  /// The stack of the process that runs now.
  var stack: HostStack { running.withLock { $0.stack } }

  /// The options that create a manager on this device: `CBCentralManager(delegate: self, queue: queue, options: phone.options)`.
  /// A new dictionary each time, so that it can be merged with other options.
  public var options: [String: Any] { [CBManagerOptionAdapterKey: stack as any Adapter] }

  // MARK: The application

  /// Terminates the application's process, as `kill -9` does: its managers call no delegate and send nothing, its links fall
  /// silent, and peers notice that by their time-outs. The next process starts immediately: programs of `World.launch` are made
  /// again in it. `options` read after this call creates managers in it, and those with a restore identifier receive the
  /// preserved state. Settings of the device (its adapter's power, its pairing agent and so on) are as before.
  public func terminateProcess() {
    mark("its process is terminated")
    let (dead, next) = running.withLock { running in
      let dead = running
      running = makeProcess(dead.launch + 1)
      return (dead, running)
    }
    observer.judge?.processEnded(at: loop.now)
    let (radio, states) = (radio, states)
    loop.submit(from: .common) {
      dead.loop.die()
      states.value.processDied()
      radio.value.processDied()
      dead.stack.abandon()
    }
    settings.withLock { $0 }.apply(to: next.stack)
    if !faultBox.faults.isEmpty { applyFaults(to: next.stack) }
    next.stack.start()
    for launch in launches.withLock({ $0 }) { launch() }
  }

  /// Whether `World.launch` has made a program on it.
  var hasLaunchedPrograms: Bool { launches.withLock { !$0.isEmpty } }

  /// Calls `launch` after each termination of its process.
  func whenLaunched(_ launch: @escaping @Sendable () -> Void) { launches.withLock { $0.append(launch) } }

  /// Releases the programs of `World.launch`, which may refer to the world.
  func releasePrograms() { launches.withLock { $0 = [] } }

  /// Does to the stack of this process, and of the later ones, what `change` does.
  func set(_ setting: DeviceSettings.Kind, _ change: @escaping @Sendable (HostStack) -> Void) {
    settings.withLock { $0.set(setting, change) }
    change(stack)
  }

  /// The system moves the application to the background. Scans report only advertisements that match a service filter, each
  /// content once, and more slowly. Advertising is slower and without the name, with all services in the overflow area, where
  /// only a scan for one of them finds the device.
  public func enterBackground() {
    mark("its application enters the background")
    observer.judge?.setInBackground(true, at: loop.now)
    stack.setInBackground(true)
  }
  /// The application returns to the foreground; scans and advertising are again as requested.
  public func enterForeground() {
    mark("its application enters the foreground")
    observer.judge?.setInBackground(false, at: loop.now)
    stack.setInBackground(false)
  }

  // MARK: The adapter

  /// The manufacturer data of its advertisements, besides what programs advertise: the company identifier, least significant
  /// octet first, then the data. Core Bluetooth has no interface for it.
  public func setManufacturerData(_ octets: [UInt8]?) {
    set(.manufacturerData) { $0.setManufacturerData(octets) }
  }

  /// The user switches Bluetooth off: links are closed, the state becomes `poweredOff`.
  public func powerOff() {
    mark("its user switches Bluetooth off")
    set(.power) { $0.powerOff() }
  }
  /// The user switches Bluetooth on.
  public func powerOn() {
    mark("its user switches Bluetooth on")
    set(.power) { $0.powerOn() }
  }
  /// The user withdraws the permission: the state becomes `unauthorized`.
  public func denyBluetooth() {
    mark("its user withdraws the permission for Bluetooth")
    set(.permission) { $0.denyBluetooth() }
  }
  /// The user permits the use of Bluetooth.
  public func allowBluetooth() {
    mark("its user permits the use of Bluetooth")
    set(.permission) { $0.allowBluetooth() }
  }
  /// The controller's hardware fails and recovers: the state becomes `resetting`, then `poweredOn`.
  public func resetController() {
    mark("its controller fails and recovers")
    onLoop { $0.controller?.failHardware(code: 0x01) }
  }
  /// The controller is pulled out: the state becomes `resetting`, then `unsupported`.
  public func removeController() {
    mark("its controller is pulled out")
    onLoop { $0.unplug() }
  }
  /// The controller is plugged in again; `powerOn` then makes the stack look for it.
  public func insertController() {
    mark("its controller is plugged in")
    onLoop { $0.isPlugged = true }
  }

  /// The ATT MTU that it offers on later connections, 23 to 517 octets (517).
  public func setMaximumTransmissionUnit(_ octets: Int) {
    set(.transmissionUnit) { $0.setMaximumTransmissionUnit(octets) }
  }

  /// Returns when its knowledge of peers is written to its folder; see `World.makeDevice`.
  public func flushPeers() { stack.directory.flush() }

  // MARK: The place

  /// Moves it out of range of all devices. Connections are lost after their supervision time-out.
  public func moveAway() {
    mark("it moves out of range")
    onLoop { $0.isAway = true }
  }
  /// Moves it back to where it was.
  public func comeBack() {
    mark("it comes back")
    onLoop { $0.isAway = false }
  }
  /// Moves it: RSSI and loss follow from the distance.
  public func move(to position: Position) {
    mark("it moves to \(position.x), \(position.y), \(position.z)")
    onLoop { $0.move(to: position) }
  }
  /// Takes its battery out: its radio is silent. `comeBack` does not end that, `restorePower` does.
  public func cutPower() {
    mark("its power is cut")
    onLoop { $0.isSilent = true }
  }
  /// Puts the battery back.
  public func restorePower() {
    mark("its power is restored")
    onLoop { $0.isSilent = false }
  }
  /// Takes its battery out at the moment a central has connected to it, before any data is exchanged.
  public func cutPowerWhenConnected() { onLoop { $0.losesPowerWhenConnected = true } }
  /// Sets the transmit power in dBm, -127 to 20.
  public func setTransmitPower(_ power: Int8) { onLoop { $0.transmitPower = power } }
  /// Causes a fault that no radio causes: the next packets or commands are lost inside its controller.
  public func inject(_ fault: ControllerFault) {
    mark("\(fault) in its controller", isFault: true)
    onLoop { $0.controller?.inject(fault) }
  }
  /// The kind of controller it has from its next start: smaller, older, or with faults.
  public func setController(_ configuration: ControllerConfiguration) { onLoop { $0.configuration = configuration } }

  /// Marks on the page of a failing test what happens to this device.
  /// - Parameter sentence: what happens, with the device as "it".
  func mark(_ sentence: @autoclosure () -> String, isFault: Bool = false) {
    marks.add(isFault ? .fault : .happening, device: number, at: loop.now) { "\(name): \(sentence())" }
  }

  func onLoop(_ job: @escaping @Sendable (DeviceRadio) -> Void) {
    let radio = radio
    loop.submit(from: .common) { job(radio.value) }
  }
}

extension World {
  /// How packets are lost between two devices, in both directions; `nil`: as their distance says.
  public func setLoss(_ model: LossModel?, between first: Device, and second: Device) {
    let radios = (first.radio, second.radio)
    loop.submit(from: .common) { [self] in
      guard let one = radios.0.value.controller, let other = radios.1.value.controller else { return }
      air.setLoss(model, between: one, and: other)
    }
  }
}
