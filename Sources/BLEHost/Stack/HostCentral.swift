import BLEAdapter
import BLECore

/// One central of the process: its scan, its pending connections and its use of links.
final class HostCentral: CentralRole, StateListener {
  /// A pending connection of this central.
  private final class Attempt: TimerTarget {
    let peer: KnownPeer
    weak var role: HostCentral?
    /// Set during the start delay.
    var timer: TimerToken?

    init(peer: KnownPeer, role: HostCentral) {
      self.peer = peer
      self.role = role
    }

    func timerFired(tag: Int) {
      timer = nil
      role?.begin(self)
    }
  }

  private let stack: HostStack
  private(set) weak var events: (any CentralEvents)?
  var reportedState: AdapterState?
  private var attempts: [PeerIdentifier: Attempt] = [:]
  private var links: [PeerIdentifier: HostPeerLink] = [:]

  init(stack: HostStack, events: any CentralEvents) {
    self.stack = stack
    self.events = events
  }

  // MARK: State

  func report(_ state: AdapterState) { events?.central(didUpdateState: state) }

  func adapterWasLost() {
    for attempt in attempts.values { cancelTimer(attempt) }
    attempts = [:]
    links = [:]
  }

  // MARK: Scanning

  func startScan(_ parameters: ScanParameters) {
    guard stack.isRunning, let events else { return }
    stack.scanner.start(parameters, role: ObjectIdentifier(self), events: events)
    stack.updateScan()
  }

  func stopScan() {
    stack.scanner.stop(role: ObjectIdentifier(self))
    stack.updateScan()
  }

  // MARK: Connecting

  func connect(_ peer: PeerIdentifier, options: ConnectionOptions) {
    guard stack.isRunning, attempts[peer] == nil else { return }
    guard let known = stack.directory.peer(peer) else {
      stack.later { [weak self] in
        self?.events?.central(didFailToConnect: peer, reason: .refused(code: Self.unknownPeer))
      }
      return
    }
    let attempt = Attempt(peer: known, role: self)
    attempts[peer] = attempt
    if options.startDelay > .zero {
      attempt.timer = stack.loop.schedule(after: options.startDelay, .background, attempt, tag: 0)
    } else {
      begin(attempt)
    }
  }

  /// Unknown Connection Identifier: the closest HCI error.
  private static let unknownPeer: UInt8 = 0x02

  private func begin(_ attempt: Attempt) {
    let connection = stack.connections[attempt.peer.address]
    switch connection?.phase {
    case .ready where connection?.protection.isProven == true:
      // Asynchronously, as for a new link.
      stack.later { [weak self, weak attempt] in
        guard let self, let attempt, self.attempts[attempt.peer.identifier] === attempt else { return }
        if let connection = self.stack.connections[attempt.peer.address], connection.phase == .ready,
          connection.protection.isProven
        {
          self.join(connection)
        } else {
          self.stack.connector.want(attempt.peer.address)
        }
      }
    case .settingUp: break
    // Initiates once this link has ended; a link of unproven identity does not count as the peer's.
    case .ready, .closing, nil: stack.connector.want(attempt.peer.address)
    }
  }

  func isWaiting(for peer: PeerIdentifier) -> Bool { attempts[peer].map { $0.timer == nil } ?? false }

  /// Starts to use an established link.
  func join(_ connection: HostConnection) {
    let peer = connection.peer
    if let attempt = attempts.removeValue(forKey: peer.identifier) { cancelTimer(attempt) }
    let link: HostPeerLink
    if let present = links[peer.identifier] {
      link = present
    } else {
      link = HostPeerLink(connection: connection, central: self)
      links[peer.identifier] = link
      connection.links.append(link)
    }
    events?.central(didConnect: peer, link: link)
  }

  func attemptFailed(_ peer: PeerIdentifier, _ reason: EndReason) {
    guard attempts.removeValue(forKey: peer) != nil else { return }
    events?.central(didFailToConnect: peer, reason: reason)
  }

  func linkEnded(_ link: HostPeerLink, _ reason: EndReason) {
    guard links[link.peer] === link else { return }
    links[link.peer] = nil
    events?.central(didDisconnect: link.peer, reason: reason)
  }

  func cancelConnection(_ peer: PeerIdentifier) {
    let attempt = attempts.removeValue(forKey: peer)
    let link = links.removeValue(forKey: peer)
    if attempt == nil && link == nil { return }
    if let attempt { cancel(attempt) }
    link?.leave()
    stack.later { [weak self] in
      guard let self, self.stack.isRunning else { return }
      self.events?.central(didDisconnect: peer, reason: .requested)
    }
  }

  private func cancel(_ attempt: Attempt) {
    cancelTimer(attempt)
    stack.abandon(attempt.peer)
  }

  private func cancelTimer(_ attempt: Attempt) {
    if let timer = attempt.timer { stack.loop.cancel(timer) }
    attempt.timer = nil
  }

  func close() {
    stopScan()
    let ended = attempts.values.sorted { $0.peer.address.key < $1.peer.address.key }
    attempts = [:]
    for attempt in ended { cancel(attempt) }
    let left = links.values.sorted { $0.connection.handle < $1.connection.handle }
    links = [:]
    for link in left { link.leave() }
    stack.centrals.removeAll { $0 === self }
    events = nil
  }
}

extension HostCentral {
  /// The peers of pending connections.
  var awaited: [DeviceAddress] { attempts.values.map(\.peer.address).sorted { $0.key < $1.key } }
}
