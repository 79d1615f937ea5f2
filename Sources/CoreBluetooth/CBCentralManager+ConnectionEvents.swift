internal import BLEAdapter
internal import BLECore

extension CBCentralManager {
  /// Called when a link of this machine was made or ended, by any program, or when more of the peer's services are known.
  func receive(change peer: KnownPeer, _ isConnected: Bool, _ services: [BLEUUID]) {
    let isNews = shared.withLock { $0.connectionEvents?.isNews(peer.identifier, isConnected, services) ?? false }
    guard isNews else { return }
    let peripheral = context.peripheral(peer.identifier, name: peer.name)
    let delegate = delegate
    watch?.callback(
      "centralManager(_:connectionEventDidOccur:for:)", to: delegate, ProgramSubject(peer: peer.identifier))
    delegate?.centralManager(
      self, connectionEventDidOccur: isConnected ? .peerConnected : .peerDisconnected, for: peripheral)
  }
}

/// The peers whose connection events a program requested, and which of them it knows to be connected.
struct ConnectionEventFilter {
  /// The maximum number of services, as on Apple's systems.
  static let serviceLimit = 4

  private let services: Set<BLEUUID>
  private let peers: Set<PeerIdentifier>
  var connected: Set<PeerIdentifier> = []

  init(_ options: [CBConnectionEventMatchingOption: Any], log: Logger) {
    let wanted = options[.serviceUUIDs] as? [CBUUID] ?? []
    if wanted.count > Self.serviceLimit {
      log.misuse("only \(Self.serviceLimit) services can be matched by connection events: the first of \(wanted.count)")
    }
    services = Set(wanted.prefix(Self.serviceLimit).map(\.value))
    peers = Set((options[.peripheralUUIDs] as? [UUID] ?? []).map { PeerIdentifier(PeerNumber($0)) })
  }

  /// Each connection is reported once, however often this is called for it, and its end once.
  mutating func isNews(_ peer: PeerIdentifier, _ isConnected: Bool, _ services: [BLEUUID]) -> Bool {
    let isWanted = peers.contains(peer) || services.contains { self.services.contains($0) }
    if isConnected { return isWanted && connected.insert(peer).inserted }
    return connected.remove(peer) != nil || isWanted
  }
}
