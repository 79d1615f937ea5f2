import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Synchronization

extension HostStack {
  /// A link came up, or an attempt ended without one.
  ///
  /// - Parameters:
  ///   - local: the private address that the controller has used for this device; zero where it has used none.
  ///   - remote: the private address that the controller has resolved; zero where it has resolved none.
  func connectionCompleted(
    _ status: HCIErrorCode, _ handle: ConnectionHandle, _ role: LEConnectionRole, _ peer: HCIAddress,
    local: DeviceAddress? = nil, remote: DeviceAddress? = nil
  ) {
    security.refresh()
    let identity = whoSends(by: peer.address)
    guard status.isSuccess else {
      switch status {
      // The answer to a cancellation.
      case .unknownConnectionIdentifier: connector.initiationEnded(nil)
      // A directed or high-duty advertisement went unanswered.
      case .advertisingTimeout: break
      default:
        let isNamed = peer.address.value != 0
        connector.initiationEnded(isNamed ? identity : nil, error: EndReason(failureToConnect: status))
      }
      return
    }
    guard let data = controller.link(handle) else { return }
    let connection = HostConnection(
      stack: self, data: data, role: role == .central ? .central : .peripheral, peer: directory.peer(at: identity),
      addresses: LinkAddresses(
        local: local.onAir ?? ownAddress, peer: remote.onAir ?? peer.address))
    connections.insert(connection)
    log.log(.debug, "link \(handle) to \(peer)")
    if !isRunning { return connection.disconnect(.remoteUserTerminated) }
    switch connection.role {
    case .central:
      connector.initiationEnded(identity)
      if waitingCentrals(for: connection.peer.identifier).isEmpty {
        // Given up while it was being made.
        return connection.disconnect(.remoteUserTerminated)
      }
      connection.setUp()
    case .peripheral:
      advertiser.linkCameUp(self)
      connector.linksChanged()
      connection.setUpAsPeripheral()
      connection.requestBetterKeys()
      connectionIsReady(connection)
    }
  }

  /// Features and MTU are agreed on: the link is there for programs.
  func connectionIsReady(_ connection: HostConnection) {
    connection.phase = .ready
    publishLinks(connection, isConnected: true)
    admitCentrals(to: connection)
    connection.leaveIfUnused()
  }

  /// Whoever wants the peer gets the link, once it is known to be the peer's.
  func admitCentrals(to connection: HostConnection) {
    guard connection.phase == .ready, connection.isProven else { return }
    let waiting = waitingCentrals(for: connection.peer.identifier)
    if waiting.isEmpty { return }
    connector.abandon(connection.peer.address)
    for role in waiting { role.join(connection) }
  }

  func disconnectionCompleted(_ status: HCIErrorCode, _ handle: ConnectionHandle, _ code: HCIErrorCode) {
    // What the controller does not know any more has ended.
    guard status.isSuccess || status == .unknownConnectionIdentifier else {
      connections[handle]?.disconnectionRefused(status)
      return
    }
    guard let connection = connections.remove(handle) else { return }
    log.log(.debug, "link \(handle) ended: \(code)")
    if power.phase == .leaving {
      connection.linkEnded(.poweredOff)
      return leaveIfLinksAreGone()
    }
    switch connection.phase {
    case .settingUp:
      if let reason = connection.reasonOfFailedEncryption(code) { return failed(connection, reason) }
      failed(connection, EndReason(failureToConnect: code))
    case .ready: ended(connection, connection.reasonOfFailedEncryption(code) ?? EndReason(endOfLink: code))
    case .closing:
      // Nobody was told of the link: whoever wanted it learns that there is none.
      if let reason = connection.closingReason, !connection.isPublished { return failed(connection, reason) }
      ended(connection, connection.closingReason ?? .requested)
    }
  }

  private func failed(_ connection: HostConnection, _ reason: EndReason) {
    connection.linkEnded(reason)
    let address = connection.peer.address
    if reason != .failedToEstablish {
      failWaiting(for: address, reason)
    } else if !waitingCentrals(for: connection.peer.identifier).isEmpty {
      // A connection is wanted for as long as it takes.
      connector.retry(address)
    }
    linksChanged(connection)
  }

  private func ended(_ connection: HostConnection, _ reason: EndReason) {
    let links = connection.links
    if connection.isPublished { linkCounters.linkEnded(reason) }
    connection.linkEnded(reason)
    for link in links { link.central?.linkEnded(link, reason) }
    if connection.isPublished { publishLinks(connection, isConnected: false) }
    linksChanged(connection)
  }

  private func linksChanged(_ connection: HostConnection) {
    advertiser.linkEnded(self)
    connector.linksChanged()
  }

  func waitingCentrals(for peer: PeerIdentifier) -> [HostCentral] { centrals.filter { $0.isWaiting(for: peer) } }

  func failWaiting(for address: DeviceAddress, _ reason: EndReason) {
    let peer = directory.peer(at: address).identifier
    for role in waitingCentrals(for: peer) { role.attemptFailed(peer, reason) }
  }

  /// One role less waits for `peer`.
  func abandon(_ peer: KnownPeer) {
    if waitingCentrals(for: peer.identifier).isEmpty { connector.abandon(peer.address) }
    connections[peer.address]?.leaveIfUnused()
  }

  // MARK: What programs see of links

  private func publishLinks(_ connection: HostConnection, isConnected: Bool) {
    let peer = connection.peer
    let services = connection.knownServices
    connection.isPublished = isConnected
    snapshot.withLock {
      $0.connected[peer.identifier] = isConnected ? (peer, services) : nil
      $0.transmissionUnits[peer.identifier] = isConnected ? connection.mtu : nil
    }
    for role in centrals {
      role.events?.central(linkDidChange: peer, isConnected: isConnected, services: services)
    }
  }

  /// A larger MTU was agreed on.
  func transmissionUnitChanged(_ connection: HostConnection) {
    guard connection.isPublished else { return }
    snapshot.withLock { $0.transmissionUnits[connection.peer.identifier] = connection.mtu }
  }

  /// More became known of what a connected peer has.
  func servicesBecameKnown(_ connection: HostConnection) {
    let peer = connection.peer
    let services = connection.knownServices
    snapshot.withLock { $0.connected[peer.identifier] = (peer, services) }
    for role in centrals { role.events?.central(linkDidChange: peer, isConnected: true, services: services) }
  }
}

extension DeviceAddress? {
  /// The private address that an event names; `nil` where it names none.
  fileprivate var onAir: DeviceAddress? { self.flatMap { $0.value == 0 ? nil : $0 } }
}
