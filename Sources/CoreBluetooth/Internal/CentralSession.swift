internal import BLEAdapter
internal import BLECore

/// A central manager's part on the loop: its role on the stack, and the connections that it has requested. Everything on the loop.
final class CentralSession: CentralEvents {
  /// The maximum number of discoveries that wait for a program's queue: more are dropped, since the next packet has the same content.
  private static let discoveryBacklog = 4_096

  /// A connection request of the program. `peripheral` is used on the program's side only.
  struct ConnectionRequest {
    let peripheral: Carried<WeakReference<CBPeripheral>>
    let options: ConnectionOptions
    /// Whether a lost connection is requested again: for the state that is preserved.
    var reconnects = false
  }

  enum Standing {
    case wanted(ConnectionRequest)
    case connected(KnownPeer, PeerConnection, ConnectionRequest)
    /// Cancelled; a later request waits until the cancellation is complete.
    case leaving(next: ConnectionRequest?)
  }

  let adapter: any Adapter
  private let mailbox: Mailbox
  private var role: (any CentralRole)?
  private(set) var peers: [PeerIdentifier: Standing] = [:] { didSet { preserved?.setChanged() } }
  private var scan = 0
  private(set) var scanned: ScanParameters? { didSet { preserved?.setChanged() } }
  /// The latest state of the stack.
  private var state = AdapterState.unknown
  /// The preserved state of a manager with a restore identifier.
  var preserved: (any PreservedState)?

  var loop: any StackLoop { adapter.loop }
  var log: Logger { adapter.log }

  init(adapter: any Adapter, mailbox: Mailbox) {
    self.adapter = adapter
    self.mailbox = mailbox
  }

  /// - Parameter key: the key of the preserved state, for a manager with a restore identifier.
  func start(preservedAs key: PreservationKey?) {
    if let key { preserve(as: key) }
    role = adapter.makeCentral(events: self)
  }

  func close() {
    preserved?.end()
    preserved = nil
    closeConnections()
    role?.close()
    role = nil
  }

  func post(_ event: CentralEvent) { mailbox.post(.central(event)) }

  /// Delivers what a peer sends unsolicited.
  /// - Returns: whether there was room for it.
  func offer(_ event: CentralEvent) -> Bool { mailbox.offer(.central(event), log: log) }

  // MARK: Calls of the program

  func startScan(_ parameters: ScanParameters, number: Int) {
    scan = number
    scanned = parameters
    role?.startScan(parameters)
  }

  func stopScan() {
    scanned = nil
    role?.stopScan()
  }

  func connect(_ peer: PeerIdentifier, _ request: ConnectionRequest) {
    // Bluetooth was switched off before this job ran: the program is notified of that, and no request remains.
    guard state == .poweredOn || state == .unknown else { return }
    switch peers[peer] {
    case nil:
      peers[peer] = .wanted(request)
      role?.connect(peer, options: request.options)
    case .wanted: peers[peer] = .wanted(request)
    case .connected(let known, let connection, _):
      peers[peer] = .connected(known, connection, request)
      post(.connected(known, connection))
    case .leaving: peers[peer] = .leaving(next: request)
    }
  }

  /// Resumes what an earlier process was doing: at once if Bluetooth is on, else as soon as it is known to be.
  func resume(
    _ requests: [(peer: PeerIdentifier, request: ConnectionRequest)], scan: (parameters: ScanParameters, number: Int)?
  ) {
    guard state == .poweredOn || state == .unknown else { return }
    for (peer, request) in requests where peers[peer] == nil { peers[peer] = .wanted(request) }
    if let scan {
      self.scan = scan.number
      scanned = scan.parameters
    }
    if state == .poweredOn { goOn() }
  }

  private func goOn() {
    if let scanned { role?.startScan(scanned) }
    let wanted = peers.sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
    for case (let peer, .wanted(let request)) in wanted { role?.connect(peer, options: request.options) }
  }

  func cancel(_ peer: PeerIdentifier) {
    switch peers[peer] {
    case nil: return
    case .wanted:
      if state != .poweredOn {
        // Nothing was requested from the stack yet, so there is nothing to cancel.
        peers[peer] = nil
        return
      }
    case .connected(_, let connection, _): connection.close()
    case .leaving:
      peers[peer] = .leaving(next: nil)
      return
    }
    peers[peer] = .leaving(next: nil)
    role?.cancelConnection(peer)
  }

  // MARK: Events of the stack

  func central(didUpdateState state: AdapterState) {
    let wasUnknown = self.state == .unknown
    self.state = state
    if state != .poweredOn {
      closeConnections()
      scanned = nil
      mailbox.forgetSwitches()
    }
    post(.state(state))
    if state == .poweredOn, wasUnknown { goOn() }
  }

  func central(didDiscover discovery: DiscoveryEvent) {
    mailbox.post(.central(.discovered(discovery, scan: scan)), ifFewerWaitThan: Self.discoveryBacklog)
  }

  func central(didConnect peer: KnownPeer, link: any PeerLink) {
    guard case .wanted(let request) = peers[peer.identifier] else { return }
    let connection = PeerConnection(link, session: self, peripheral: request.peripheral)
    peers[peer.identifier] = .connected(peer, connection, request)
    post(.connected(peer, connection))
  }

  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason) {
    end(of: peer, .failedToConnect(peer, reason))
  }

  func central(didDisconnect peer: PeerIdentifier, reason: EndReason) {
    end(of: peer, .disconnected(peer, reason))
  }

  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID]) {
    mailbox.post(
      .central(.linkChanged(peer, isConnected: isConnected, services: services)), switching: .link(peer.identifier),
      isOn: isConnected)
  }

  private func end(of peer: PeerIdentifier, _ event: CentralEvent) {
    guard let standing = peers.removeValue(forKey: peer) else { return }
    if case .connected(_, let connection, _) = standing { connection.close() }
    post(event)
    if case .leaving(next: let request?) = standing { connect(peer, request) }
  }

  private func closeConnections() {
    for case .connected(_, let connection, _) in peers.values { connection.close() }
    peers = [:]
  }
}
