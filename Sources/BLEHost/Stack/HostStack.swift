import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Dispatch
import Synchronization

/// A whole Bluetooth LE host on one controller: what programs play their roles on.
///
/// It opens its transport, starts the controller up and keeps it running; when the transport dies it opens it again, a few
/// times, and says meanwhile that it is `resetting`. All roles of the process share one scan, one initiator, the links and the
/// attribute database.
///
/// `@unchecked Sendable`: everything but `snapshot`, which is behind its mutex, and what never changes is touched only on the
/// loop.
public final class HostStack: OwnedAdapter, @unchecked Sendable {
  struct Snapshot {
    var state = AdapterState.unknown
    var supportsExtendedAdvertising = false
    var connected: [PeerIdentifier: (peer: KnownPeer, services: [BLEUUID])] = [:]
    /// Of each link that programs know of, the ATT MTU in octets.
    var transmissionUnits: [PeerIdentifier: Int] = [:]
    var bonds: [BondSummary] = []
  }

  public let loop: any StackLoop
  public let log: Logger
  public let directory: PeerDirectory
  let entropy: any EntropySource
  let controller: HCIController
  /// For jobs that this stack submits to itself.
  let origin: JobOrigin
  let snapshot = Mutex(Snapshot())
  /// Where programs' managers leave what a later process takes up.
  private let stateStore: (any StateStore)?

  // On the loop from here on.
  var options: HostOptions
  var power = PowerState()
  let scanner: Scanner
  var scanSwitch = ScanSwitch()
  var scanCare = ScanCare()
  /// Of these only the links; see `counters`.
  var linkCounters = AdapterCounters()
  var turns = SearchTurns()
  /// Whether the simulated system has put the program into the background.
  private(set) var isInBackground = false
  let advertiser = Advertiser()
  var acceptList: Set<DeviceAddress> = []
  private(set) lazy var connector = Connector(loop: loop, delegate: self)
  var connections = ConnectionTable()
  let security: HostSecurity
  var privacy = PrivacyState()
  /// Where agents are called.
  let agentQueue = DispatchQueue(label: "swift-corebluetooth.pairing")
  var centrals: [HostCentral] = []
  var peripherals: [HostPeripheral] = []
  private(set) lazy var server = LocalServer(options: options, log: log)
  private var nextService: UInt32 = 1
  var publishedChannels = PublishedChannels()
  /// Shown in place of the public address.
  var randomAddress: DeviceAddress?
  /// A random static address, for a controller that has no address of its own.
  private(set) lazy var madeAddress = DeviceAddress(entropy.next() | 0b11 << 46, kind: .random)

  /// - Parameters:
  ///   - entropy: the system's wherever the controller is not simulated.
  ///   - bondStore: where keys are kept; by default they are gone with the stack.
  ///   - tap: hears every packet between host and controller.
  ///   - makeTransport: makes a transport that is not open yet; called on the loop for each attempt to reach the controller.
  public init(
    loop: any StackLoop, options: HostOptions = HostOptions(), entropy: any EntropySource, peerStore: any PeerStore,
    bondStore: any BondStore = MemoryBondStore(), stateStore: (any StateStore)? = nil, log: Logger = .silent,
    tap: (any HCITap)? = nil,
    makeTransport: @escaping HCIController.TransportFactory
  ) {
    self.loop = loop
    self.log = log
    self.options = options
    self.entropy = entropy
    controller = HCIController(loop: loop, log: log.labelled("hci"), makeTransport: makeTransport)
    origin = loop.makeOrigin()
    directory = PeerDirectory(store: peerStore, limit: options.tableLimits.knownPeers)
    self.stateStore = stateStore
    scanner = Scanner(directory: directory, deviceLimit: options.tableLimits.scannedDevices)
    security = HostSecurity(
      options: options, entropy: entropy, store: bondStore, loop: loop, origin: origin, log: log.labelled("security"))
    controller.tap = tap
    controller.delegate = self
    // What is being written when the stack goes away is written to its end.
    security.bondsDidChange = { [weak self] in self?.bondsDidChange() }
    security.isConnected = { [weak self] identity in
      self?.connections.all.contains { $0.bondIdentity == identity } ?? false
    }
    bondStore.watch { [weak self] in self?.onLoop { $0.security.refresh() } }
  }

  deinit {
    for connection in connections.all { connection.abandon() }
  }

  // MARK: From any thread

  public var state: AdapterState { snapshot.withLock { $0.state } }
  public var supportsExtendedAdvertising: Bool { snapshot.withLock { $0.supportsExtendedAdvertising } }

  public func knownPeers(_ identifiers: [PeerIdentifier]) -> [KnownPeer] { directory.peers(identifiers) }

  public func connectedPeers(withServices services: [BLEUUID]) -> [KnownPeer] {
    let connected = snapshot.withLock { $0.connected }
    return connected.values
      .filter { entry in services.contains { entry.services.contains($0) } }
      .map(\.peer)
      .sorted { ($0.identifier.high, $0.identifier.low) < ($1.identifier.high, $1.identifier.low) }
  }

  /// The ATT MTU in octets that was agreed on with `peer`; `nil` where it is not connected. Core Bluetooth tells only how long values
  /// may be, and no value is longer than 512 octets whatever the MTU is (Core, Vol 3 Part F 3.2.9).
  public func maximumTransmissionUnit(with peer: PeerIdentifier) -> Int? {
    snapshot.withLock { $0.transmissionUnits[peer] }
  }

  /// Opens the transport and starts the controller. The roles are told when it is known what came of it.
  public func start() { onLoop { $0.applyWishes() } }

  /// Switches the adapter off as a user would: peers see their links closed, roles see `poweredOff`.
  public func powerOff() { onLoop { $0.setSwitchedOn(false) } }

  /// Switches the adapter on; also another attempt where it was `unsupported`.
  public func powerOn() { onLoop { $0.setSwitchedOn(true) } }

  /// Takes the permission to use Bluetooth away: roles see `unauthorized`.
  public func denyBluetooth() { onLoop { $0.setPermitted(false) } }

  public func allowBluetooth() { onLoop { $0.setPermitted(true) } }

  /// The longest ATT PDU that is taken on links that are yet to come, 23 to 517 octets.
  public func setMaximumTransmissionUnit(_ octets: Int) { onLoop { $0.options.maximumTransmissionUnit = octets } }

  /// What all advertisements of this stack carry besides what programs ask for, as far as there is room: the company's number, least
  /// significant octet first, and what follows it. For playing devices whose vendors do so; Core Bluetooth offers it to no program.
  public func setManufacturerData(_ octets: [UInt8]?) {
    onLoop { $0.advertiser.setManufacturerData(octets.flatMap { ManufacturerData(octets: $0[...]) }, $0) }
  }

  /// Puts the program into the background, or back, as a system does that has applications: in the background scans are slower,
  /// for named services only and without duplicates; advertising is slower, without the name, and has all services in the
  /// overflow area.
  public func setInBackground(_ isInBackground: Bool) {
    onLoop { stack in
      stack.isInBackground = isInBackground
      stack.scanner.setInBackground(isInBackground)
      stack.updateScan()
      stack.advertiser.parametersChanged(stack)
    }
  }

  /// Ends all links in a way that the peers notice, and closes the transport, for good. `completion` is called on the loop.
  public func shutDown(_ completion: @escaping @Sendable () -> Void) {
    onLoop { stack in stack.shutDownOnLoop(completion) }
  }

  /// Returns when everything that is to outlive this process does. From any thread but the loop's.
  public func flush() {
    directory.flush()
    security.flush()
  }

  // MARK: On the loop

  public func makeCentral(events: any CentralEvents) -> any CentralRole {
    let role = HostCentral(stack: self, events: events)
    centrals.append(role)
    tellFirstState(of: role)
    return role
  }

  public func makePeripheral(events: any PeripheralEvents) -> any PeripheralRole {
    let role = HostPeripheral(stack: self, events: events)
    peripherals.append(role)
    tellFirstState(of: role)
    return role
  }

  public func preserveState(of key: PreservationKey) -> (any PreservedState)? { stateStore?.claim(key) }

  /// Calls `completion` when the states of the managers are where they survive the process.
  func flushStates(_ completion: @escaping () -> Void) {
    if let stateStore { stateStore.flush(completion) } else { completion() }
  }

  var ownAddressType: LEOwnAddressType { shownAddress == nil ? .public : .random }

  /// Whether a central has connected to this device.
  var hasCentralsConnected: Bool { connections.hasPeripheralLinks }

  func takeServiceIdentifier() -> LocalServiceIdentifier {
    defer { nextService &+= 1 }
    return LocalServiceIdentifier(rawValue: nextService)
  }

  /// Published by whatever role of the process.
  func publishedService(_ identifier: LocalServiceIdentifier) -> PublishedService? {
    for role in peripherals {
      if let published = role.publishedService(identifier) { return published }
    }
    return nil
  }

  /// A database with nothing in it but what every device has.
  func resetServer() { server = LocalServer(options: options, log: log) }

  private func tellFirstState(of role: any StateListener) {
    if power.reported == .unknown { return }
    later { [weak self, weak role] in
      guard let self, let role else { return }
      role.tellIfNew(self.power.reported)
    }
  }

  /// Runs `job` on the loop, after what is being done now.
  func later(_ job: @escaping () -> Void) {
    let bound = LoopBound(job)
    loop.submit(from: origin) { bound.value() }
  }

  func onLoop(_ job: @escaping @Sendable (HostStack) -> Void) {
    loop.submit(from: origin) { [self] in job(self) }
  }
}

extension HostStack {
  /// What has happened on this controller so far. On the loop.
  public var counters: AdapterCounters {
    var counters = linkCounters
    counters.resets = controller.counters.losses
    counters.restartedScans = scanCare.restartCount
    counters.sentOctets = controller.counters.sentOctets
    counters.receivedOctets = controller.counters.receivedOctets
    return counters
  }

  /// How many links there are, those that come up or end included. On the loop.
  public var linkCount: Int { connections.count }

  /// How many advertisers are remembered, at most 16,384. On the loop.
  public var scannedDeviceCount: Int { scanner.deviceCount }
}
