internal import BLEAdapter
internal import BLECore

/// The central role: discovers peripherals and connects to them.
///
/// The delegate is called on the queue passed to the initializer, in order, and never inside a call of the program. When the
/// manager is released, its scan and its connections end.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBCentralManager: CBManager {
  /// Optional features of a controller.
  ///
  /// Availability: iOS 13.0; not on macOS.
  public struct Feature: OptionSet, Sendable, BitwiseCopyable {
    /// The value in C.
    public let rawValue: UInt
    /// Accepts every value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Extended advertising: long advertisements on any PHY.
    public static var extendedScanAndConnect: CBCentralManager.Feature { Self(rawValue: 1) }
    /// Measuring the distance to a peer. No supported controller can.
    ///
    /// Availability: iOS 27.0; not on macOS, tvOS, watchOS, visionOS.
    public static var channelSounding: CBCentralManager.Feature { Self(rawValue: 1 << 10) }
  }

  struct State {
    weak var delegate: (any CBCentralManagerDelegate)?
    var isScanning = false
    /// Counts the calls of `scanForPeripherals`: discoveries of earlier scans are not reported.
    var scan = 0
    var connectionEvents: ConnectionEventFilter?
  }

  let context: CentralContext
  let shared: Locked<State>
  /// What the older of the two disconnect callbacks passes on to the newer one. On the program's queue only.
  var disconnection: Disconnection?

  /// Unavailable. Without it the compiler adds a designated initializer that only this module sees, and a subclass of a class
  /// with such an initializer does not inherit the two initializers below.
  @available(*, unavailable)
  override convenience init(adapter: any Adapter, origin: JobOrigin, powerAlert: Bool, watch: ProgramWatch?) {
    raise("A manager is made with a delegate, a queue and options")
  }

  /// A manager without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// Without options. If `queue` is `nil`, the delegate is called on the main queue.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// A manager that discovers and connects peripherals; the delegate is notified of its first state.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  ///
  /// - Parameters:
  ///   - delegate: receives the events; held weakly.
  ///   - queue: the queue on which the delegate is called; `nil` for the main queue.
  ///   - options: see `CBCentralManagerOptionShowPowerAlertKey`, `CBCentralManagerOptionRestoreIdentifierKey` and, on Linux
  ///     only, `CBManagerOptionAdapterKey`.
  public init(
    delegate: (any CBCentralManagerDelegate)?, queue: dispatch_queue_t?, options: [String: Any]? = nil
  ) {
    let adapter = ManagerAdapter.adapter(options)
    let mailbox = Mailbox(queue: queue ?? .main, loop: adapter.loop)
    shared = Locked(State(delegate: delegate))
    let origin = adapter.loop.makeOrigin()
    let watch = ProgramWatch.make(.central, on: adapter)
    watch?.call(
      ProgramSubject(
        arguments: [
          ProgramArgument("delegate", delegate == nil ? "nil" : "set"), ProgramArgument("queue", queue?.label ?? "nil"),
        ] + ProgramArgument.entries(options)))
    context = CentralContext(adapter: adapter, origin: origin, mailbox: mailbox, watch: watch)
    super.init(
      adapter: adapter, origin: origin,
      powerAlert: options?.flag(CBCentralManagerOptionShowPowerAlertKey) ?? false, watch: watch)
    mailbox.receiver = self
    if delegate == nil, options?[CBCentralManagerOptionRestoreIdentifierKey] is String {
      watch?.misuse(.restoringWithoutDelegate, in: "init(delegate:queue:options:)")
      adapter.log.misuse("<\(nameAndAddress)> has provided a restore identifier but the delegate is nil")
    }
    let key = PreservationKey(.central, options?[CBCentralManagerOptionRestoreIdentifierKey])
    submit { [context] in context.session.value.start(preservedAs: key) }
  }

  deinit {
    watch?.call(name: "deinit")
    for peripheral in context.peripherals.all { peripheral.didLosePower(isInvalid: true) }
    submit { [context] in context.session.value.close() }
  }

  override func submit(_ job: @escaping @Sendable () -> Void) { context.submit(job) }

  /// Receives the manager's events.
  open weak var delegate: (any CBCentralManagerDelegate)? {
    get { shared.withLock { $0.delegate } }
    set {
      watch?.call(ProgramSubject(arguments: [ProgramArgument("delegate", newValue == nil ? "nil" : "set")]))
      shared.withLock { $0.delegate = newValue }
    }
  }

  /// True from a call of `scanForPeripherals(withServices:options:)` to that of `stopScan()`.
  ///
  /// Availability: iOS 9.0, macOS 10.13.
  open var isScanning: Bool { shared.withLock { $0.isScanning } }

  /// Whether the default adapter supports all of these features.
  ///
  /// Availability: iOS 13.0; not on macOS.
  @discardableResult
  open class func supports(_ features: CBCentralManager.Feature) -> Bool {
    features.isEmpty || features == .extendedScanAndConnect && ManagerAdapter.standard.supportsExtendedAdvertising
  }

  /// The peripherals among `identifiers` that this machine has met, in the order of `identifiers`.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  @discardableResult
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    watch?.call(
      ProgramSubject(
        arguments: [ProgramArgument("identifiers", identifiers.map(\.uuidString).joined(separator: ", "))]))
    guard isReadyForCommands() else { return [] }
    let wanted = identifiers.map { PeerIdentifier(PeerNumber($0)) }
    var known: [PeerIdentifier: KnownPeer] = [:]
    for peer in adapter.knownPeers(wanted) { known[peer.identifier] = peer }
    return wanted.compactMap { known[$0] }.map { peer in context.peripheral(peer.identifier, name: peer.name) }
  }

  /// The peripherals that are connected to this machine, by any program, and have one of these services. Before use they have to
  /// be connected by this manager too.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  @discardableResult
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    watch?.call(ProgramSubject(arguments: [.services("services", serviceUUIDs)]))
    guard isReadyForCommands() else { return [] }
    let peers = adapter.connectedPeers(withServices: serviceUUIDs.map(\.value))
    return peers.map { peer in context.peripheral(peer.identifier, name: peer.name) }
  }

  /// Scans for peripherals that advertise one of `serviceUUIDs` (`nil` or empty: all), and replaces an earlier scan.
  ///
  /// A peripheral is reported once, and again when its advertising data has new content, unless
  /// `CBCentralManagerScanOptionAllowDuplicatesKey` is true.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    watch?.call(
      ProgramSubject(arguments: [.services("services", serviceUUIDs)] + ProgramArgument.entries(options)))
    guard isReadyForCommands() else { return }
    let number = shared.withLock { state in
      state.isScanning = true
      state.scan += 1
      return state.scan
    }
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
    let parameters = ScanParameters(
      services: serviceUUIDs?.filter, solicitedServices: solicited?.map(\.value) ?? [],
      allowsDuplicates: options?.flag(CBCentralManagerScanOptionAllowDuplicatesKey) ?? false)
    submit { [context] in context.session.value.startScan(parameters, number: number) }
  }

  /// Ends the scan; connections and connection attempts continue.
  open func stopScan() {
    watch?.call()
    guard isReadyForCommands() else { return }
    shared.withLock { $0.isScanning = false }
    submit { [context] in context.session.value.stopScan() }
  }

  /// Requests a connection, without a time limit: `centralManager(_:didConnect:)` or `centralManager(_:didFailToConnect:error:)`
  /// follows. Until then, and while connected, the program has to keep a reference to `peripheral`.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    watch?.call(
      ProgramSubject(peer: peripheral.peerIdentifier, arguments: ProgramArgument.entries(options)))
    guard isReadyForCommands(), owns(peripheral) else { return }
    let delay = options?.seconds(CBConnectPeripheralOptionStartDelayKey)
    let reconnects = options?.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false
    let identifier = peripheral.peerIdentifier
    if delay != nil && reconnects {
      submit { [context] in context.session.value.post(.refusedToConnect(identifier, .invalidParameters)) }
      return
    }
    let wanted = ConnectionOptions(startDelay: .fractionalSeconds(max(0, delay ?? 0)))
    switch peripheral.willConnect(reconnection: reconnects ? wanted : nil, alerts: ConnectionAlerts(options)) {
    case .wait: return
    case .invalid:
      watch?.misuse(.invalidPeripheral, ProgramSubject(peer: identifier), in: "connect(_:options:)")
      adapter.log.misuse("\(peripheral) is not valid any more: it has to be retrieved or discovered again")
    case .ask: ask(for: peripheral, wanted)
    }
  }

  /// Cancels an attempt or ends a connection; `centralManager(_:didDisconnectPeripheral:error:)` follows without an error.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    watch?.call(ProgramSubject(peer: peripheral.peerIdentifier))
    guard isReadyForCommands(), owns(peripheral), peripheral.willCancel() else { return }
    submit { [context, identifier = peripheral.peerIdentifier] in context.session.value.cancel(identifier) }
  }

  /// Requests `centralManager(_:connectionEventDidOccur:for:)` for peers that match any of `options`; `nil` ends it.
  ///
  /// Availability: iOS 13.0; not on macOS.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    watch?.call()
    guard isReadyForCommands() else { return }
    if (options?[.serviceUUIDs] as? [CBUUID])?.count ?? 0 > ConnectionEventFilter.serviceLimit {
      watch?.misuse(.tooManyEventServices, in: "registerForConnectionEvents(options:)")
    }
    let filter = options.map { ConnectionEventFilter($0, log: adapter.log) }
    shared.withLock { $0.connectionEvents = filter }
  }

  func ask(for peripheral: CBPeripheral, _ options: ConnectionOptions) {
    let request = request(for: peripheral, options)
    submit { [context, identifier = peripheral.peerIdentifier] in
      context.session.value.connect(identifier, request)
    }
  }

  func request(for peripheral: CBPeripheral, _ options: ConnectionOptions) -> CentralSession.ConnectionRequest {
    CentralSession.ConnectionRequest(
      peripheral: Carried(WeakReference(peripheral)), options: options,
      reconnects: peripheral.withState { $0.reconnection != nil })
  }

  private func owns(_ peripheral: CBPeripheral, name: String = #function) -> Bool {
    if peripheral.context === context { return true }
    watch?.misuse(.foreignPeripheral, ProgramSubject(peer: peripheral.peerIdentifier), in: name)
    adapter.log.misuse("\(peripheral) is not a peripheral of <\(nameAndAddress)>")
    return false
  }
}

extension PeerIdentifier {
  init(_ number: PeerNumber) { self.init(high: number.high, low: number.low) }
}
