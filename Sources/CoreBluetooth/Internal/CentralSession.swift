internal import BLEAdapter
internal import BLECore

/// A central manager's part on the loop: its role on the stack, and what it has asked of which peer. Everything on the loop.
final class CentralSession: CentralEvents {
  /// Discoveries that wait for a program's queue: beyond this many more are dropped, since the next packet says the same.
  private static let discoveryBacklog = 4_096

  /// A wish for a connection. The object is looked at by the program's side only.
  struct Wish {
    let peripheral: Carried<WeakReference<CBPeripheral>>
    let options: ConnectionOptions
  }

  private enum Standing {
    case wanted(Wish)
    case connected(KnownPeer, PeerConnection)
    /// Given up; what was wished for since then waits until that is over.
    case leaving(next: Wish?)
  }

  private let adapter: any Adapter
  private let mailbox: Mailbox
  private var role: (any CentralRole)?
  private var peers: [PeerIdentifier: Standing] = [:]
  private var scan = 0

  var loop: any StackLoop { adapter.loop }
  var log: Logger { adapter.log }

  init(adapter: any Adapter, mailbox: Mailbox) {
    self.adapter = adapter
    self.mailbox = mailbox
  }

  func start() { role = adapter.makeCentral(events: self) }

  func close() {
    closeConnections()
    role?.close()
    role = nil
  }

  func post(_ event: CentralEvent) { mailbox.post(.central(event)) }

  // MARK: What the program asks for

  func startScan(_ parameters: ScanParameters, number: Int) {
    scan = number
    role?.startScan(parameters)
  }

  func stopScan() { role?.stopScan() }

  func connect(_ peer: PeerIdentifier, _ wish: Wish) {
    switch peers[peer] {
    case nil:
      peers[peer] = .wanted(wish)
      role?.connect(peer, options: wish.options)
    case .wanted: peers[peer] = .wanted(wish)
    case .connected(let known, let connection): post(.connected(known, connection))
    case .leaving: peers[peer] = .leaving(next: wish)
    }
  }

  func cancel(_ peer: PeerIdentifier) {
    switch peers[peer] {
    case nil: return
    case .wanted: break
    case .connected(_, let connection): connection.close()
    case .leaving:
      peers[peer] = .leaving(next: nil)
      return
    }
    peers[peer] = .leaving(next: nil)
    role?.cancelConnection(peer)
  }

  // MARK: What the stack tells

  func central(didUpdateState state: AdapterState) {
    if state != .poweredOn { closeConnections() }
    post(.state(state))
  }

  func central(didDiscover discovery: Discovery) {
    mailbox.post(.central(.discovered(discovery, scan: scan)), ifFewerWaitThan: Self.discoveryBacklog)
  }

  func central(didConnect peer: KnownPeer, link: any PeerLink) {
    guard case .wanted(let wish) = peers[peer.identifier] else { return }
    let connection = PeerConnection(link, session: self, peripheral: wish.peripheral)
    peers[peer.identifier] = .connected(peer, connection)
    post(.connected(peer, connection))
  }

  func central(didFailToConnect peer: PeerIdentifier, reason: EndReason) {
    end(of: peer, .failedToConnect(peer, reason))
  }

  func central(didDisconnect peer: PeerIdentifier, reason: EndReason) {
    end(of: peer, .disconnected(peer, reason))
  }

  func central(linkDidChange peer: KnownPeer, isConnected: Bool, services: [BLEUUID]) {
    post(.linkChanged(peer, isConnected: isConnected, services: services))
  }

  private func end(of peer: PeerIdentifier, _ event: CentralEvent) {
    guard let standing = peers.removeValue(forKey: peer) else { return }
    if case .connected(_, let connection) = standing { connection.close() }
    post(event)
    if case .leaving(next: let wish?) = standing { connect(peer, wish) }
  }

  private func closeConnections() {
    for case .connected(_, let connection) in peers.values { connection.close() }
    peers = [:]
  }
}
