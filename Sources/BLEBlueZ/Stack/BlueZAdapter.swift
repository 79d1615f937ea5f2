public import BLEAdapter
public import BLECore
public import BLEHCI
public import BLEHost
import BLEPairing
import BLETransports
import Synchronization

/// An adapter managed by BlueZ's daemon, used by way of its D-Bus interface and so shared with all other programs.
///
/// Devices, links and attributes are the daemon's. `Docs/bluez.md` says for each call what it becomes.
///
/// `@unchecked Sendable`: everything is used on the loop only, except for `snapshot`, which its mutex protects, and constants.
public final class BlueZAdapter: OwnedAdapter, @unchecked Sendable {
  struct Snapshot {
    var state = AdapterState.unknown
    var connected: [PeerIdentifier: (peer: KnownPeer, services: [BLEUUID])] = [:]
  }

  public let log: Logger
  public let directory: PeerDirectory
  let stackLoop: DispatchStackLoop
  /// The origin of jobs that this stack submits to itself.
  private let origin: JobOrigin
  let snapshot = Mutex(Snapshot())
  private let stateStore: (any StateStore)?

  // On the loop from here on.
  /// The daemon and the adapter, and the state reported to the roles.
  private(set) lazy var presence = DaemonPresence(stack: self, address: address, selector: selector)
  private let address: BusAddress
  private let selector: String?
  private(set) lazy var mirror = ObjectMirror(log: log, events: self)
  /// Answers the daemon's pairing requests.
  private(set) lazy var agent = BlueZAgent(on: self, agents: agents)
  private let agents: @Sendable () -> any PairingAgent
  let channelSockets: any ChannelSockets
  /// `nil`: the kernel is not asked for signal strengths.
  let strengths: (any LinkStrengths)?
  var discovery: DiscoverySession?
  /// Returns the machine's switches for Bluetooth.
  let switches: @Sendable () -> [RadioSwitch]
  /// Events so far. Packets to and from the controller are seen by the kernel and the daemon only.
  public internal(set) var counters = AdapterCounters()
  /// When discovery that no longer reports anything is restarted.
  private let scanRule: ScanWatch.Rule
  var links: [PeerIdentifier: DeviceLink] = [:]
  /// How the pairings started by this process end, by the device's path.
  var pairingsUnderWay: [String: (BusError?) -> Void] = [:]
  private(set) var centrals: [BlueZCentral] = []
  private(set) var peripherals: [BlueZPeripheral] = []
  /// How many peripherals were made: the paths of their objects contain this number.
  private var peripheralCount = 0
  /// Roles of either kind, in the order in which they were made.
  private(set) var roles: [any StateListener] = []

  /// - Parameters:
  ///   - adapter: the daemon's name of the adapter (`hci0`) or its address; `nil`: the first that is powered on, otherwise the first.
  ///   - peerStore: stores the identifiers of peers.
  public convenience init(
    adapter: String?, loop: DispatchStackLoop, peerStore: any PeerStore, stateStore: (any StateStore)? = nil,
    log: Logger = .silent
  ) {
    self.init(
      adapter: adapter, on: .system, loop: loop, peerStore: peerStore, stateStore: stateStore, log: log,
      strengths: LinkStrength(on: loop.queue))
  }

  /// - Parameters:
  ///   - address: the address of the daemon's bus.
  ///   - channelSockets: the sockets for L2CAP channels.
  ///   - strengths: reads the signal strength of links.
  ///   - switches: returns the switches that can turn Bluetooth off on this machine.
  ///   - scanRule: when discovery that no longer reports anything is restarted.
  init(
    adapter: String?, on address: BusAddress, loop: DispatchStackLoop, peerStore: any PeerStore,
    stateStore: (any StateStore)? = nil, log: Logger = .silent,
    agents: @escaping @Sendable () -> any PairingAgent = { PairingAgents.current },
    channelSockets: any ChannelSockets = KernelChannels(), strengths: (any LinkStrengths)? = nil,
    switches: @escaping @Sendable () -> [RadioSwitch] = RadioSwitch.ofThisMachine,
    scanRule: ScanWatch.Rule = ScanWatch.Rule()
  ) {
    self.switches = switches
    self.scanRule = scanRule
    self.agents = agents
    self.channelSockets = channelSockets
    self.strengths = strengths
    stackLoop = loop
    selector = adapter
    self.address = address
    self.log = log
    self.stateStore = stateStore
    directory = PeerDirectory(store: peerStore)
    origin = loop.makeOrigin()
  }

  // MARK: From any thread

  public var loop: any StackLoop { stackLoop }
  public var state: AdapterState { snapshot.withLock { $0.state } }
  /// The daemon decides this by itself.
  public var supportsExtendedAdvertising: Bool { false }

  public func knownPeers(_ identifiers: [PeerIdentifier]) -> [KnownPeer] { directory.peers(identifiers) }

  public func connectedPeers(withServices services: [BLEUUID]) -> [KnownPeer] {
    snapshot.withLock { $0.connected }.values.peers(withServices: services)
  }

  public func start() { onLoop { $0.presence.start() } }

  public func shutDown(_ completion: @escaping @Sendable () -> Void) {
    onLoop { stack in
      // Before the managers' activity ends, so that the next process can restore it.
      stack.flushStates {
        stack.endLinks {
          stack.dropLinks()
          stack.presence.shutDown()
          completion()
        }
      }
    }
  }

  public func flush() { directory.flush() }

  // MARK: On the loop

  public func makeCentral(events: any CentralEvents) -> any CentralRole {
    let role = BlueZCentral(stack: self, events: events)
    centrals.append(role)
    add(role)
    return role
  }

  public func makePeripheral(events: any PeripheralEvents) -> any PeripheralRole {
    let role = BlueZPeripheral(on: self, number: peripheralCount, events: events) { [weak self] in self?.remove($0) }
    peripheralCount += 1
    peripherals.append(role)
    add(role)
    return role
  }

  public func preserveState(of key: PreservationKey) -> (any PreservedState)? { stateStore?.claim(key) }

  private func flushStates(_ completion: @escaping () -> Void) {
    if let stateStore { stateStore.flush(completion) } else { completion() }
  }

  private func add(_ role: any StateListener) {
    roles.append(role)
    later { [weak self, weak role] in
      guard let self, let role, self.presence.reported != .unknown else { return }
      role.reportIfChanged(self.presence.reported)
    }
  }

  func remove(_ role: any StateListener) {
    roles.removeAll { $0 === role }
    centrals.removeAll { $0 === role }
    peripherals.removeAll { $0 === role }
    searchDidChange()
  }

  /// Whether the adapter is powered on, and the daemon can be called.
  var isRunning: Bool { presence.reported == .poweredOn }
  /// The connection to the bus; `nil` where there is none.
  var bus: MessageBus? { presence.bus }
  /// The path of the adapter that is used.
  var adapterPath: String? { presence.adapter?.path }
  /// The address of that adapter.
  var adapterAddress: DeviceAddress? { presence.adapter?.address }
  /// The kernel's number of that adapter: 0 for hci0.
  var adapterNumber: UInt16? {
    guard let name = adapterPath?.split(separator: "/").last, name.hasPrefix("hci") else { return nil }
    return UInt16(name.dropFirst(3))
  }

  func device(at address: DeviceAddress) -> DeviceObject? {
    adapterPath.flatMap { mirror.device(at: address, on: $0) }
  }

  /// The peer with this object path.
  func peer(of path: String) -> KnownPeer? { mirror.devices[path].map { directory.peer(at: $0.address) } }

  /// Runs `job` on the loop, after the current job.
  func later(_ job: @escaping () -> Void) {
    let bound = LoopBound(job)
    loop.submit(from: origin) { bound.value() }
  }

  func onLoop(_ job: @escaping @Sendable (BlueZAdapter) -> Void) {
    loop.submit(from: origin) { [self] in job(self) }
  }

  // MARK: Searching

  /// Called when the scanning centrals, or the devices searched for, may have changed.
  func searchDidChange() {
    guard isRunning, let bus, let adapterPath else { return }
    let scans = centrals.compactMap(\.scan)
    let isWanted = !scans.isEmpty || links.values.contains { $0.isSearching }
    if discovery == nil {
      if !isWanted { return }
      discovery = DiscoverySession(bus: bus, adapter: adapterPath, scanRule, log: log) { [weak self] in
        self?.counters.restartedScans += 1
      }
    }
    discovery?.want(isWanted, duplicates: scans.contains { $0.parameters.allowsDuplicates })
  }

  /// Reports the devices that are heard at the moment to a scan that has just started: the daemon signals only changes.
  func reportHeardDevices(to central: BlueZCentral) {
    let heard = mirror.devices.values.filter { $0.rssi != nil && $0.adapter == adapterPath }
    if heard.isEmpty { return }
    later { [weak self] in
      guard let self else { return }
      for device in heard.sorted(by: { $0.number < $1.number }) { central.report(device, as: self.advertiser(device)) }
    }
  }

  // MARK: Links

  /// The link to the peer, made where there is none.
  func link(to peer: KnownPeer) -> DeviceLink {
    if let link = links[peer.identifier] { return link }
    // The daemon may pair on this link, and the program's agent may have changed.
    if isRunning { agent.register() }
    let link = DeviceLink(stack: self, peer: peer)
    links[peer.identifier] = link
    return link
  }

  func presentLink(to peer: PeerIdentifier) -> DeviceLink? { links[peer] }

  /// Removes a link that is idle and not requested.
  func forget(_ link: DeviceLink) {
    if links[link.peer.identifier] === link { links[link.peer.identifier] = nil }
  }

  /// Ends all links of this process, within a time limit. The daemon keeps links whose end was not requested.
  private func endLinks(_ completion: @escaping () -> Void) {
    for central in centrals { central.close() }
    waitForLinks(until: loop.now + .seconds(3), completion)
  }

  private func waitForLinks(until deadline: StackInstant, _ completion: @escaping () -> Void) {
    if links.isEmpty || loop.now >= deadline || !isRunning { return completion() }
    loop.schedule(after: .milliseconds(20), .work) { [self] in waitForLinks(until: deadline, completion) }
  }
}
