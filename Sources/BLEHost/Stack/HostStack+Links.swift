import BLEAdapter
import BLECore
import BLEHCI
import BLEWire
import Synchronization

extension HostStack {
  /// A link was established, or an attempt has failed.
  ///
  /// - Parameters:
  ///   - local: the private address that the controller used for this device; zero if none.
  ///   - remote: the private address that the controller resolved; zero if none.
  func connectionCompleted(
    _ status: HCIErrorCode, _ handle: ConnectionHandle, _ role: LEConnectionRole, _ peer: HCIAddress,
    local: DeviceAddress? = nil, remote: DeviceAddress? = nil
  ) {
    security.refresh()
    let identity = resolve(peer.address)
    guard status.isSuccess else {
      switch status {
      // The result of a cancellation.
      case .unknownConnectionIdentifier: connector.initiationEnded(nil)
      // A directed or high-duty-cycle advertisement has ended without a link.
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
    faults?.attach(connection)
    if !isRunning { return connection.disconnect(.remoteUserTerminated) }
    switch connection.role {
    case .central:
      connector.initiationEnded(identity)
      if waitingCentrals(for: connection.peer.identifier).isEmpty {
        // Cancelled while it was being established.
        return connection.disconnect(.remoteUserTerminated)
      }
      connection.setUp()
    case .peripheral:
      // With extended commands an event reports which set was stopped.
      if !controller.usesExtendedCommands { advertisingInput(.stoppedByController(nil)) }
      connector.linksChanged()
      connection.setUpAsPeripheral()
      connection.requestBetterKeys()
      connectionIsReady(connection)
    }
  }

  /// The set-up is complete: reports the link to applications.
  func connectionIsReady(_ connection: HostConnection) {
    connection.phase = .ready
    publishLinks(connection, isConnected: true)
    admitCentrals(to: connection)
    connection.disconnectIfUnused()
  }

  /// Gives the link to the centrals that wait for the peer, once the peer's identity is proved.
  func admitCentrals(to connection: HostConnection) {
    guard connection.phase == .ready, connection.protection.isProven else { return }
    let waiting = waitingCentrals(for: connection.peer.identifier)
    if waiting.isEmpty { return }
    connector.abandon(connection.peer.address)
    for role in waiting { role.join(connection) }
  }

  func disconnectionCompleted(_ status: HCIErrorCode, _ handle: ConnectionHandle, _ code: HCIErrorCode) {
    // A link that is unknown to the controller has ended.
    guard status.isSuccess || status == .unknownConnectionIdentifier else {
      connections[handle]?.disconnectionRefused(status)
      return
    }
    guard let connection = connections.remove(handle) else { return }
    log.log(.debug, "link \(handle) ended: \(code)")
    if power.phase == .stopping {
      connection.linkEnded(.poweredOff)
      if connections.isEmpty { powerInput(.linksEnded) }
      return
    }
    switch connection.phase {
    case .settingUp:
      if let reason = connection.protection.reasonOfFailedEncryption(code) { return failed(connection, reason) }
      failed(connection, EndReason(failureToConnect: code))
    case .ready: ended(connection, connection.protection.reasonOfFailedEncryption(code) ?? EndReason(endOfLink: code))
    case .closing:
      // The link was not reported: to the centrals that wait for it, the connection has failed.
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
      // Connection attempts have no time-out.
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
    advertisingInput(.update)
    connector.linksChanged()
  }

  func waitingCentrals(for peer: PeerIdentifier) -> [HostCentral] { centrals.filter { $0.isWaiting(for: peer) } }

  func failWaiting(for address: DeviceAddress, _ reason: EndReason) {
    let peer = directory.peer(at: address).identifier
    for role in waitingCentrals(for: peer) { role.attemptFailed(peer, reason) }
  }

  /// Stops initiating to `peer` and ends its link, if no central waits for it or uses it.
  func abandon(_ peer: KnownPeer) {
    if waitingCentrals(for: peer.identifier).isEmpty { connector.abandon(peer.address) }
    connections[peer.address]?.disconnectIfUnused()
  }

  // MARK: Reporting links

  public func connectedPeers(withServices services: [BLEUUID]) -> [KnownPeer] {
    snapshot.withLock { $0.connected }.values.peers(withServices: services)
  }

  /// Returns the ATT MTU in octets of the link to `peer`; `nil` if it is not connected. Core Bluetooth reports only the maximum length
  /// of values, which is at most 512 octets whatever the MTU (Core, Vol 3 Part F 3.2.9).
  public func maximumTransmissionUnit(with peer: PeerIdentifier) -> Int? {
    snapshot.withLock { $0.transmissionUnits[peer] }
  }

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

  /// The MTU of a link has changed.
  func transmissionUnitChanged(_ connection: HostConnection) {
    guard connection.isPublished else { return }
    snapshot.withLock { $0.transmissionUnits[connection.peer.identifier] = connection.mtu }
  }

  /// More services of a connected peer are known.
  func servicesDidChange(_ connection: HostConnection) {
    let peer = connection.peer
    let services = connection.knownServices
    snapshot.withLock { $0.connected[peer.identifier] = (peer, services) }
    for role in centrals { role.events?.central(linkDidChange: peer, isConnected: true, services: services) }
  }
}

extension DeviceAddress? {
  /// The private address in an event; `nil` if there is none.
  fileprivate var onAir: DeviceAddress? { self.flatMap { $0.value == 0 ? nil : $0 } }
}
