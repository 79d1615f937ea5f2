import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Dispatch
import Synchronization

/// A Bluetooth LE host on one controller, for the roles of a process.
///
/// It opens its transport, starts the controller and keeps it running; if the transport fails, it is reopened a few times, and the
/// state is `resetting` in the meantime. All roles of the process share one scan, one initiator, the links and the attribute
/// database.
///
/// `@unchecked Sendable`: `snapshot` is behind its mutex; all other mutable state is used only on the loop.
public final class HostStack: OwnedAdapter, @unchecked Sendable {
  struct Snapshot {
    var state = AdapterState.unknown
    var failure: String?
    var supportsExtendedAdvertising = false
    var connected: [PeerIdentifier: (peer: KnownPeer, services: [BLEUUID])] = [:]
    /// The ATT MTU in octets of each link reported to applications.
    var transmissionUnits: [PeerIdentifier: Int] = [:]
    var bonds: [BondSummary] = []
    var programObserver: (any ProgramObserver)?
  }

  public let loop: any StackLoop
  public let log: Logger
  public let directory: PeerDirectory
  let entropy: any EntropySource
  let controller: HCIController
  /// For jobs that this stack submits to itself.
  let origin: JobOrigin
  let snapshot = Mutex(Snapshot())
  /// Stores the states of managers for a later process.
  let stateStore: (any StateStore)?

  // On the loop from here on.
  var options: HostOptions
  var power: PowerMachine
  let powerInputs = InputQueue<PowerMachine.Input>()
  /// Limits the time in which links are ended before the controller is stopped.
  var stopTimer: TimerToken?
  /// Called once the controller is stopped.
  var afterStopping: [() -> Void] = []
  let scanner: Scanner
  var arbiter = RadioArbiter()
  let arbiterInputs = InputQueue<RadioArbiter.Input>()
  /// Set while scanning and initiating take turns.
  var turnTimer: TimerToken?
  var scanCare = ScanCare()
  /// Of these only the links; see `counters`.
  var linkCounters = AdapterCounters()
  /// Whether the simulated system has moved the application to the background.
  var isInBackground = false
  var advertising = Advertising()
  let advertisingInputs = InputQueue<Advertising.Input>()
  /// The completions of starts that are not answered, by number.
  var advertisingRequests: [Int: (PublishError?) -> Void] = [:]
  var lastAdvertisingRequest = 0
  var acceptList: Set<DeviceAddress> = []
  private(set) lazy var connector = Connector(loop: loop, delegate: self)
  var connections = ConnectionTable()
  let security: HostSecurity
  /// The faults of this device; `nil` for a device without.
  var faults: HostFaults?
  var privacy = PrivacyState()
  /// The queue on which agents are called.
  let agentQueue = DispatchQueue(label: "swift-corebluetooth.pairing")
  var centrals: [HostCentral] = []
  var peripherals: [HostPeripheral] = []
  lazy var server = LocalServer(options: options, log: log)
  private var nextService: UInt32 = 1
  var publishedChannels = PublishedChannels()
  /// The random static address used in place of the public one.
  var randomAddress: DeviceAddress?
  /// A random static address for a controller without a public one.
  private(set) lazy var generatedAddress = DeviceAddress(entropy.next() | 0b11 << 46, kind: .random)

  /// - Parameters:
  ///   - entropy: the system's, unless the controller is simulated.
  ///   - bondStore: stores keys; by default in memory.
  ///   - tap: receives every packet between host and controller.
  ///   - makeTransport: returns a transport that is not open; called on the loop for each attempt to reach the controller.
  public init(
    loop: any StackLoop, options: HostOptions = HostOptions(), entropy: any EntropySource, peerStore: any PeerStore,
    bondStore: any BondStore = MemoryBondStore(), stateStore: (any StateStore)? = nil, log: Logger = .silent,
    tap: (any HCITap)? = nil,
    makeTransport: @escaping HCIController.TransportFactory
  ) {
    self.loop = loop
    self.log = log
    self.options = options
    power = PowerMachine(isSwitchedOn: options.isSwitchedOn, isPermitted: options.isPermitted)
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
    // Weak, because pending writes keep `security` alive after the stack is deallocated.
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
  public var failure: String? { snapshot.withLock { $0.failure } }
  public var supportsExtendedAdvertising: Bool { snapshot.withLock { $0.supportsExtendedAdvertising } }

  /// Set before the first manager is made: a manager keeps the observer of the time at which it was made.
  public var programObserver: (any ProgramObserver)? {
    get { snapshot.withLock { $0.programObserver } }
    set { snapshot.withLock { $0.programObserver = newValue } }
  }

  public func knownPeers(_ identifiers: [PeerIdentifier]) -> [KnownPeer] { directory.peers(identifiers) }

  /// Sets the longest ATT PDU accepted on new links, 23 to 517 octets.
  public func setMaximumTransmissionUnit(_ octets: Int) { onLoop { $0.options.maximumTransmissionUnit = octets } }

  /// Returns when all stored peers and bonds outlive this process. From any thread but the loop's.
  public func flush() {
    directory.flush()
    security.flush()
  }

  // MARK: On the loop

  public func makeCentral(events: any CentralEvents) -> any CentralRole {
    let role = HostCentral(stack: self, events: events)
    centrals.append(role)
    reportFirstState(to: role)
    return role
  }

  public func makePeripheral(events: any PeripheralEvents) -> any PeripheralRole {
    let role = HostPeripheral(stack: self, events: events)
    peripherals.append(role)
    reportFirstState(to: role)
    return role
  }

  public func preserveState(of key: PreservationKey) -> (any PreservedState)? { stateStore?.claim(key) }

  func takeServiceIdentifier() -> LocalServiceIdentifier {
    defer { nextService &+= 1 }
    return LocalServiceIdentifier(rawValue: nextService)
  }

  private func reportFirstState(to role: any StateListener) {
    if power.reported == .unknown { return }
    later { [weak self, weak role] in
      guard let self, let role else { return }
      role.reportIfChanged(self.power.reported)
    }
  }

  /// Runs `job` on the loop, after the current job.
  func later(_ job: @escaping () -> Void) {
    let bound = LoopBound(job)
    loop.submit(from: origin) { bound.value() }
  }

  func onLoop(_ job: @escaping @Sendable (HostStack) -> Void) {
    loop.submit(from: origin) { [self] in job(self) }
  }
}
