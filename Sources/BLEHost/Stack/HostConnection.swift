import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// One link of the host with its protocols: L2CAP, the Attribute Protocol, the GATT client shared by the centrals of the process,
/// and the server's side of the link.
final class HostConnection {
  enum Phase {
    /// Features and MTU are being exchanged; the link is not reported to applications.
    case settingUp
    case ready
    /// This side is ending it.
    case closing
  }

  unowned let stack: HostStack
  let loop: any StackLoop
  let handle: ConnectionHandle
  let role: LinkRole
  /// The peer, with its identity address once that is known.
  private(set) var peer: KnownPeer
  var phase = Phase.settingUp
  /// The centrals that use the link.
  var links: [HostPeerLink] = []
  private(set) var isUp = true
  /// Whether the link was reported to applications.
  var isPublished = false
  /// The peer's name as reported to applications.
  private var name: String?
  private var hasReadName = false
  /// Why this side ends the link, unless because it is no longer used.
  var closingReason: EndReason?

  private let carrier: FrameCarrier
  private(set) var channels: L2CAPLink?
  let bearer: ATTBearer
  private(set) var serverLink: GATTServerLink?
  /// The peer's database. Closed, but retained, when the link has ended.
  let database: RemoteDatabase
  var setUpSteps = SetUpSteps()
  /// The number of applications' writes not answered or, without response, not sent.
  var pendingWrites = 0
  /// Waits for sent data before this side ends the link.
  var drain: LinkDrain?
  var protection: LinkProtection
  var security: SecurityManager { protection.manager }

  init(stack: HostStack, data: HCILink, role: LinkRole, peer: KnownPeer, addresses: LinkAddresses) {
    self.stack = stack
    handle = data.handle
    self.role = role
    self.peer = peer
    name = peer.name
    let carrier = FrameCarrier(data: data, loop: stack.loop)
    self.carrier = carrier
    let channels = L2CAPLink(role: role, loop: stack.loop, carrier: carrier, log: stack.log.labelled("l2cap"))
    let bearer = ATTBearer(
      loop: stack.loop, channel: channels, receiveMTU: stack.options.maximumTransmissionUnit,
      log: stack.log.labelled("att"))
    loop = stack.loop
    self.channels = channels
    self.bearer = bearer
    let bond = stack.security.bond(of: peer.address)
    database = RemoteDatabase(
      client: GATTClient(bearer: bearer), loop: stack.loop, layout: bond?.layout, isRemembered: true,
      log: stack.log.labelled("gatt"))
    protection = LinkProtection(
      manager: SecurityManager(
        role: role, localAddress: addresses.local, peerAddress: addresses.peer, local: stack.security.local,
        loop: stack.loop, channel: channels, log: stack.log.labelled("smp")))
    // The name of a bonded peer was read when its database was discovered.
    hasReadName = bond?.layout != nil && peer.name != nil
    channels.attributeProtocol = bearer
    channels.owner = self
    channels.usesEnhancedChannels = stack.options.usesEnhancedChannels
    bearer.owner = self
    serverLink = stack.server.gatt.makeLink(on: bearer, peer: peer.identifier)
    carrier.open(channels)
    channels.securityManager = security
    security.delegate = self
    database.client.raiseSecurity = { [weak self] code, done in
      guard let self else { return done(.failed) }
      self.raiseSecurity(code, done)
    }
    if let bond { setBond(bond.keys) }
  }

  /// Sets the peer with its identity address.
  func identify(as peer: KnownPeer) { self.peer = peer }

  /// The ATT MTU in octets.
  var mtu: Int { bearer.mtu }

  /// The known services of the peer, discovered or advertised.
  var knownServices: [BLEUUID] {
    var services = stack.scanner.content(of: peer.address)?.serviceUUIDs ?? []
    for service in database.layout.services.items where !services.contains(service.uuid) {
      services.append(service.uuid)
    }
    return services
  }

  func readRSSI(_ completion: @escaping (Result<Int8, OperationError>) -> Void) {
    stack.controller.send(HCIReadRSSI(connectionHandle: handle)) { result in
      switch result {
      case .success(let answer): completion(.success(answer.rssi))
      case .failure(.refused(let code)): completion(.failure(.notSupported("the controller refused: \(code)")))
      case .failure(.malformed(let error)): completion(.failure(.notSupported("\(error)")))
      case .failure(.notReady): break
      }
    }
  }

  /// Called after an application's service discovery: reads the device name.
  func servicesWereDiscovered() {
    stack.servicesDidChange(self)
    if hasReadName { return }
    hasReadName = true
    database.readDeviceName { [weak self] result in
      guard let self, self.isUp, case .success(let name?) = result, !name.isEmpty else { return }
      self.stack.directory.setName(name, of: self.peer.identifier, from: .read)
      guard name != self.name else { return }
      self.name = name
      self.stack.scanner.setName(name, at: self.peer.address)
      for link in self.links { link.events?.link(link, didUpdateName: name) }
    }
  }

  /// Ends the link if this side is its central and no central of the process uses it.
  func disconnectIfUnused() {
    guard role == .central, links.isEmpty, phase != .closing,
      stack.waitingCentrals(for: peer.identifier).isEmpty
    else { return }
    // No application data was sent on a link that was not reported.
    if phase == .settingUp { return disconnect(.remoteUserTerminated) }
    phase = .closing
    afterDraining { [weak self] in
      guard let self, self.isUp || self.stack.power.phase == .stopping else { return }
      self.sendDisconnect(.remoteUserTerminated)
    }
  }

  /// Ends the link for a reason, without waiting for sent values to be processed.
  func disconnect(_ reason: HCIErrorCode) {
    if phase == .closing {
      drain?.finish()
      return
    }
    phase = .closing
    // Data that an application wrote to a channel before closing it is still sent.
    guard let channels, stack.power.phase != .stopping else { return sendDisconnect(reason) }
    channels.afterFinishingChannels(limit: LinkPolicy.channelDrainLimit) { [weak self] in
      guard let self, self.isUp || self.stack.power.phase == .stopping else { return }
      self.sendDisconnect(reason)
    }
  }

  private func sendDisconnect(_ reason: HCIErrorCode) {
    stack.controller.send(
      HCIDisconnect(connectionHandle: handle, reason: reason),
      status: { [weak self, weak stack, handle] status in
        if status.isSuccess { return }
        // It ended at the same moment; its event was handled before, or is lost.
        if status == .unknownConnectionIdentifier {
          stack?.disconnectionCompleted(.success, handle, .localHostTerminated)
        } else {
          self?.disconnectionRefused(status, reason)
        }
      })
  }

  /// The controller refused to end the link. It is requested again after a pause, because the link is no longer used.
  func disconnectionRefused(_ status: HCIErrorCode, _ reason: HCIErrorCode = .remoteUserTerminated) {
    // The link has ended before the controller refused.
    guard isUp else { return }
    stack.log.log(.warning, "the controller could not end link \(handle): \(status)")
    loop.schedule(after: LinkPolicy.disconnectDelay, .background) { [weak self] in
      guard let self, self.isUp, self.phase == .closing else { return }
      self.sendDisconnect(reason)
    }
  }

  /// The stack is being deallocated with its links, and all roles before it: nothing is reported. The parts of a link retain each other
  /// until they are closed.
  func abandon() {
    isUp = false
    setUpSteps.cancel(loop)
    carrier.abandon()
    drain?.cancel()
    database.close()
    serverLink?.close()
    bearer.close()
    channels?.attributeProtocol = nil
    channels?.securityManager = nil
    channels?.gate = nil
  }

  /// The link has ended: ends everything on it. Only channels report their end here.
  func linkEnded(_ reason: EndReason) {
    guard isUp else { return }
    isUp = false
    setUpSteps.cancel(loop)
    endSecurity()
    for link in links { link.end() }
    links = []
    database.close()
    serverLink?.close()
    bearer.close()
    channels?.close(reason)
    channels = nil
    carrier.close()
    drain?.finish()
    serverLink = nil
  }
}

extension HostConnection: ATTBearerOwner {
  func bearer(_ bearer: ATTBearer, didUpdateMTU octets: Int) {
    guard isUp else { return }
    stack.transmissionUnitChanged(self)
    for link in links { link.events?.link(link, didUpdateMaximumTransmissionUnit: octets) }
    if let central = serverLink?.remoteCentral { for role in stack.peripherals { role.centralChanged(central) } }
  }

  /// Ends the link after a transaction time-out: no further request may be sent on it (Core, Vol 3 Part F 3.3.3).
  func bearerDidTimeOut(_ bearer: ATTBearer) {
    guard isUp else { return }
    // The transaction may have waited for the encryption.
    closingReason = protection.isEncryptingForBond ? .encryptionTimedOut : .timedOut
    disconnect(.remoteUserTerminated)
  }
}

extension HostConnection: L2CAPLinkOwner {
  func link(
    _ link: L2CAPLink, acceptsConnectionParameters parameters: L2CAPConnectionParameterUpdateRequest
  ) -> Bool {
    updateParameters(
      ConnectionParameters(
        intervalMinimum: ConnectionInterval(rawValue: parameters.intervalMin),
        intervalMaximum: ConnectionInterval(rawValue: parameters.intervalMax), latency: parameters.latency,
        supervisionTimeout: SupervisionTimeout(rawValue: parameters.timeout)))
    return true
  }

  func updateParameters(_ parameters: ConnectionParameters) {
    stack.controller.send(LEConnectionUpdate(connectionHandle: handle, parameters: parameters))
  }
}
