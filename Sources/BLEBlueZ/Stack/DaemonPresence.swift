import BLEAdapter
import BLECore
import BLEHCI

/// Whether there is a bus, a daemon on it, and an adapter of that daemon; and the resulting Core Bluetooth state. On the loop.
final class DaemonPresence {
  enum Daemon {
    /// Not known yet, or its objects are being read.
    case loading
    case absent
    /// The bus or the daemon denies access to this user.
    case denied
    case present
  }

  /// The delay before connecting to the bus, or calling a silent daemon, again.
  private static let retryDelay = StackDuration.seconds(5)
  /// How long a daemon that has just started may take until its adapters appear.
  private static let arrivalLimit = StackDuration.seconds(5)
  private static let answerLimit = StackDuration.seconds(25)

  /// The owner. A program may release it inside a report of its state.
  weak var stack: BlueZAdapter?
  private let loop: DispatchStackLoop
  let log: Logger
  let mirror: ObjectMirror
  private let address: BusAddress
  let selector: String?
  private(set) var bus: MessageBus?
  /// The adapter in use.
  var adapter: AdapterObject?
  /// The state last reported to the roles.
  var reported = AdapterState.unknown
  var daemon = Daemon.loading
  /// The daemon's unique name.
  private var owner: String?
  private var hasHadOwner = false
  private var registrations: [BusRegistration] = []
  /// `nil` while there is no bus.
  private(set) var characteristicSignals: CharacteristicSignals?
  private var loading: BusCall?
  /// Whether an adapter was ever powered on: only then does its absence mean an interruption.
  var hasRun = false
  /// Whether the present adapter was ever powered on.
  var isUsed = false
  /// Set while adapters of a daemon that has just started may still appear.
  var arrival: TimerToken?
  private var retry: TimerToken?
  private var isShutDown = false

  init(stack: BlueZAdapter, address: BusAddress, selector: String?) {
    self.stack = stack
    loop = stack.stackLoop
    log = stack.log
    mirror = stack.mirror
    self.address = address
    self.selector = selector
  }

  func start() {
    guard bus == nil, !isShutDown else { return }
    do throws(BusError) {
      let bus = try MessageBus(address, loop: loop)
      self.bus = bus
      bus.ended = { [weak self] in self?.busEnded() }
      listen(bus)
    } catch {
      log.log(hasRun ? .warning : .error, "\(error)\(Self.advice(error))")
      daemon = error.name == BusError.accessDenied ? .denied : .absent
      report()
      startAgain()
    }
  }

  /// Ends permanently.
  func shutDown() {
    isShutDown = true
    for timer in [arrival, retry].compactMap({ $0 }) { loop.cancel(timer) }
    loading?.cancel()
    registrations = []
    characteristicSignals = nil
    bus?.ended = nil
    bus?.close()
    bus = nil
    daemon = .absent
    adapter = nil
  }

  private static func advice(_ error: BusError) -> String {
    switch error.name {
    case BusError.noServer: ": is there a message bus? In a container, mount /run/dbus/system_bus_socket"
    case BusError.accessDenied: ": this user may not use the Bluetooth daemon: add it to the group bluetooth"
    case BusError.serviceUnknown, BusError.nameHasNoOwner:
      ": the Bluetooth daemon does not run: sudo systemctl enable --now bluetooth"
    default: ""
    }
  }

  // MARK: The bus

  private func listen(_ bus: MessageBus) {
    let name = BlueZName.service
    registrations = [
      bus.listen(to: "InterfacesAdded", of: BlueZName.objectManager, at: nil, from: name) { [weak self] signal in
        self?.mirrored { $0.interfacesAdded(signal.arguments) }
      },
      bus.listen(to: "InterfacesRemoved", of: BlueZName.objectManager, at: nil, from: name) { [weak self] signal in
        self?.mirrored { $0.interfacesRemoved(signal.arguments) }
      },
      bus.listen(to: "Disconnected", of: BlueZName.device, at: nil, from: name) { [weak self] signal in
        self?.mirrored { $0.disconnected(signal.path, signal.arguments) }
      },
      bus.watchOwner(of: name) { [weak self] owner in self?.ownerDidChange(owner) },
    ]
    let changed = { [weak self] (path: String, changes: PropertyChanges?) in
      guard let self else { return }
      self.mirrored { $0.propertiesChanged(of: path, changes) }
    }
    for interface in [BlueZName.adapter, BlueZName.device, BlueZName.gattService] {
      registrations.append(bus.listenToProperties(of: interface, from: name, changed))
    }
    characteristicSignals = CharacteristicSignals(on: bus, changed)
  }

  /// Signals that arrive before the list of all objects are ignored: the list contains their changes.
  private func mirrored(_ change: (ObjectMirror) -> Void) {
    if daemon == .present { change(mirror) }
  }

  private func busEnded() {
    log.log(.warning, "the connection to the message bus has ended")
    registrations = []
    characteristicSignals = nil
    loading?.cancel()
    loading = nil
    owner = nil
    bus = nil
    daemonWentAway()
    startAgain()
  }

  private func startAgain() {
    if retry != nil || isShutDown { return }
    retry = loop.schedule(after: Self.retryDelay, .background) { [weak self] in
      guard let self else { return }
      self.retry = nil
      if self.bus == nil { self.start() } else if self.daemon != .present { self.load() }
    }
  }

  // MARK: The daemon

  private func ownerDidChange(_ new: String?) {
    if isShutDown { return }
    let isFirst = !hasHadOwner && owner == nil
    if owner != nil, owner != new { daemonWentAway() }
    owner = new
    if new != nil {
      // A daemon that has just started has yet to find its adapters.
      if !isFirst || daemon == .absent { awaitArrival() }
      hasHadOwner = true
      load()
    } else if isFirst {
      // The call makes the bus start the daemon, where it is configured to do so.
      load()
    }
  }

  private func daemonWentAway() {
    if hasRun { log.log(.warning, "the Bluetooth daemon has ended") }
    daemon = .absent
    loading?.cancel()
    loading = nil
    mirror.removeAll()
    adapter = nil
    adapterIsLost()
    report()
  }

  private func load() {
    guard let bus else { return }
    daemon = .loading
    loading?.cancel()
    loading = bus.call(
      "GetManagedObjects", of: BlueZName.objectManager, at: "/", on: BlueZName.service, timeout: Self.answerLimit,
      limits: .allObjects
    ) { [weak self] result in self?.loaded(result) }
  }

  private func loaded(_ result: Result<[BusValue], BusError>) {
    loading = nil
    switch result {
    case .success(let answer):
      // Changes of adapters during the load are handled together.
      mirror.load(answer)
      daemon = .present
      adaptersDidChange()
    case .failure(let error):
      log.log(hasRun ? .warning : .error, "\(error)\(Self.advice(error))")
      daemon = error.name == BusError.accessDenied ? .denied : .absent
      report()
      // Without an owner, the bus signals the daemon's start; a daemon that runs and does not answer is called again.
      if owner != nil, daemon == .absent { startAgain() }
    }
  }

  private func awaitArrival() {
    if let arrival { loop.cancel(arrival) }
    arrival = loop.schedule(after: Self.arrivalLimit, .background) { [weak self] in
      self?.arrival = nil
      self?.report()
    }
  }
}
