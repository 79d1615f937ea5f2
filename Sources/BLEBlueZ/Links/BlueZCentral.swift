import BLEAdapter
import BLECore
import BLEHost

/// One central of the process: its scan, its pending connections and the links that it uses.
final class BlueZCentral: CentralRole {
  /// A connection that this central has requested and does not have yet.
  private final class Attempt: TimerTarget {
    let peer: KnownPeer
    weak var role: BlueZCentral?
    /// Set while the start of the attempt is delayed.
    var timer: TimerToken?

    init(peer: KnownPeer, role: BlueZCentral) {
      self.peer = peer
      self.role = role
    }

    func timerFired(tag: Int) {
      timer = nil
      role?.begin(self)
    }
  }

  private let stack: BlueZAdapter
  private(set) weak var events: (any CentralEvents)?
  var reportedState: AdapterState?
  private(set) var scan: CentralScan?
  private var attempts: [PeerIdentifier: Attempt] = [:]
  private var links: [PeerIdentifier: BlueZPeerLink] = [:]

  init(stack: BlueZAdapter, events: any CentralEvents) {
    self.stack = stack
    self.events = events
  }

  // MARK: State

  func adapterWasLost() {
    scan = nil
    for attempt in attempts.values { cancelTimer(attempt) }
    attempts = [:]
    links = [:]
  }

  // MARK: Scanning

  func startScan(_ parameters: ScanParameters) {
    guard stack.isRunning else { return }
    scan = CentralScan(parameters)
    stack.searchDidChange()
    stack.reportHeardDevices(to: self)
  }

  func stopScan() {
    scan = nil
    stack.searchDidChange()
  }

  func report(_ device: DeviceObject, as peer: KnownPeer) {
    guard let scan, scan.take(device) else { return }
    events?.central(
      didDiscover: DiscoveryEvent(
        peer: peer.identifier, address: peer.address, name: peer.name, content: device.advertisement,
        rssi: device.rssi ?? 127))
  }

  // MARK: Connecting

  /// Unknown Connection Identifier: the closest error code of a controller.
  private static let unknownPeer: UInt8 = 0x02

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

  private func begin(_ attempt: Attempt) { stack.link(to: attempt.peer).want(self) }

  /// Reports the established link to the delegate.
  /// - Returns: this central's use of the link, where that is a new one.
  func join(_ link: DeviceLink) -> BlueZPeerLink? {
    let peer = link.peer
    guard let attempt = attempts.removeValue(forKey: peer.identifier) else { return nil }
    cancelTimer(attempt)
    let present = links[peer.identifier]
    let use = present ?? BlueZPeerLink(link: link, central: self)
    links[peer.identifier] = use
    events?.central(didConnect: peer, link: use)
    return present == nil && !use.isOver ? use : nil
  }

  func attemptFailed(_ peer: PeerIdentifier, _ reason: EndReason) {
    guard attempts.removeValue(forKey: peer) != nil else { return }
    events?.central(didFailToConnect: peer, reason: reason)
  }

  func linkEnded(_ link: BlueZPeerLink, _ reason: EndReason) {
    guard links[link.peer] === link else { return }
    links[link.peer] = nil
    events?.central(didDisconnect: link.peer, reason: reason)
  }

  func cancelConnection(_ peer: PeerIdentifier) {
    let attempt = attempts.removeValue(forKey: peer)
    let link = links.removeValue(forKey: peer)
    if attempt == nil && link == nil { return }
    if let attempt { give(up: attempt) }
    link?.leave()
    stack.later { [weak self] in
      guard let self, self.stack.isRunning else { return }
      self.events?.central(didDisconnect: peer, reason: .requested)
    }
  }

  private func give(up attempt: Attempt) {
    cancelTimer(attempt)
    stack.presentLink(to: attempt.peer.identifier)?.abandon(self)
  }

  private func cancelTimer(_ attempt: Attempt) {
    if let timer = attempt.timer { stack.loop.cancel(timer) }
    attempt.timer = nil
  }

  func close() {
    stopScan()
    let ended = attempts.values
    attempts = [:]
    for attempt in ended { give(up: attempt) }
    let left = links.values
    links = [:]
    for link in left { link.leave() }
    stack.remove(self)
    events = nil
  }
}

extension BlueZCentral: StateListener {
  func report(_ state: AdapterState) { events?.central(didUpdateState: state) }
}
