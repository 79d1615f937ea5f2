import BLEAdapter
import BLECore
import BLEHCI
import BLEWire

/// One link of the host, with all that runs on it: L2CAP, the Attribute Protocol, the GATT client that the centrals of the
/// process share, and the server's side of the link.
final class HostConnection {
  enum Phase {
    /// Features and MTU are being agreed on; no program knows of the link.
    case settingUp
    case ready
    /// This side ends it.
    case closing
  }

  unowned let stack: HostStack
  let loop: any StackLoop
  let handle: ConnectionHandle
  let role: LinkRole
  /// Known by what names it for good as soon as that is known.
  private(set) var peer: KnownPeer
  var phase = Phase.settingUp
  /// The centrals that use the link.
  var links: [HostPeerLink] = []
  private(set) var isUp = true
  /// Whether programs were told that the link is there.
  var isPublished = false
  /// What programs know the peer by.
  private var name: String?
  private var hasReadName = false
  /// Why this side ends the link, where it is more than nobody's using it any more.
  var closingReason: EndReason?

  private let data: HCILink
  private let carrier: FrameCarrier
  private(set) var channels: L2CAPLink?
  let bearer: ATTBearer
  private(set) var serverLink: GATTServerLink?
  /// What is known of the peer's database. Kept when the link has ended, closed.
  let database: RemoteDatabase
  /// Completions of updates that have not left yet.
  private var updates = ClosureQueue()
  /// One closure for all updates: what leaves first was asked for first.
  private lazy var updateLeft: () -> Void = { [weak self] in self?.updates.removeFirst()?() }
  var setUpSteps = SetUpSteps()
  /// Writes that programs asked for and that have not been answered or, where there is no answer, not left.
  var writesUnderWay = 0
  /// While what was sent is waited for.
  var farewell: LinkFarewell?
  let security: SecurityManager
  var protection = LinkProtection()

  init(stack: HostStack, data: HCILink, role: LinkRole, peer: KnownPeer, addresses: LinkAddresses) {
    self.stack = stack
    self.data = data
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
    security = SecurityManager(
      role: role, localAddress: addresses.local, peerAddress: addresses.peer, local: stack.security.local,
      loop: stack.loop, channel: channels, log: stack.log.labelled("smp"))
    // What a bonded peer is called is known with its database.
    hasReadName = bond?.layout != nil && peer.name != nil
    channels.attributeProtocol = bearer
    channels.owner = self
    channels.services = self
    channels.usesEnhancedChannels = stack.options.usesEnhancedChannels
    bearer.owner = self
    serverLink = stack.server.makeLink(for: self, on: bearer)
    data.receiver = self
    channels.securityManager = security
    security.delegate = self
    database.client.raiseSecurity = { [weak self] code, done in
      guard let self else { return done(.failed) }
      self.raiseSecurity(code, done)
    }
    if let bond { setBond(bond.keys) }
  }

  /// Who the peer is has become known.
  func identify(as peer: KnownPeer) { self.peer = peer }

  /// The ATT MTU in octets.
  var mtu: Int { bearer.mtu }

  /// The services that are known of the peer: found on it, or advertised by it.
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

  /// A program looks around on the peer: the time to see what it calls itself.
  func servicesWereDiscovered() {
    stack.servicesBecameKnown(self)
    if hasReadName { return }
    hasReadName = true
    database.readDeviceName { [weak self] result in
      guard let self, self.isUp, case .success(let name?) = result, !name.isEmpty, name != self.name else { return }
      self.name = name
      self.stack.directory.setName(name, of: self.peer.identifier, from: .read)
      self.stack.scanner.setName(name, at: self.peer.address)
      for link in self.links { link.events?.link(link, didUpdateName: name) }
    }
  }

  /// The peer as a peripheral sees it.
  var remoteCentral: RemoteCentral {
    RemoteCentral(identifier: peer.identifier, maximumUpdateValueLength: mtu - 3)
  }

  /// Sends a value to the peer if it is subscribed; otherwise false. `sent` is called when it has left, or the link ended.
  func update(_ handle: AttributeHandle, _ value: [UInt8], sent: @escaping () -> Void) -> Bool {
    guard let serverLink, serverLink.update(handle, value[...], sent: updateLeft) else { return false }
    updates.append(sent)
    return true
  }

  /// Ends the link if it is this side's and nobody uses it.
  func leaveIfUnused() {
    guard role == .central, links.isEmpty, phase != .closing,
      stack.waitingCentrals(for: peer.identifier).isEmpty
    else { return }
    // Nothing was sent on a link that no program has had.
    if phase == .settingUp { return disconnect(.remoteUserTerminated) }
    phase = .closing
    afterFarewell { [weak self] in
      guard let self, self.isUp || self.stack.power.phase == .leaving else { return }
      self.askToDisconnect(.remoteUserTerminated)
    }
  }

  /// Ends the link. What has to end for a reason does not wait for values that were sent.
  func disconnect(_ reason: HCIErrorCode) {
    if phase == .closing {
      farewell?.finish()
      return
    }
    phase = .closing
    // What a program wrote to a channel before it closed it is to arrive.
    guard let channels, stack.power.phase != .leaving else { return askToDisconnect(reason) }
    channels.afterFinishingChannels(limit: LinkPolicy.channelFarewellLimit) { [weak self] in
      guard let self, self.isUp || self.stack.power.phase == .leaving else { return }
      self.askToDisconnect(reason)
    }
  }

  private func askToDisconnect(_ reason: HCIErrorCode) {
    stack.controller.send(
      HCIDisconnect(connectionHandle: handle, reason: reason),
      status: { [weak self, weak stack, handle] status in
        if status.isSuccess { return }
        // It ended by itself in this moment; its event was here before, or is lost with it.
        if status == .unknownConnectionIdentifier {
          stack?.disconnectionCompleted(.success, handle, .localHostTerminated)
        } else {
          self?.disconnectionRefused(status, reason)
        }
      })
  }

  /// The controller does not end the link. It is asked again, as nobody has a use for what is left of it.
  func disconnectionRefused(_ status: HCIErrorCode, _ reason: HCIErrorCode = .remoteUserTerminated) {
    // It has ended before the controller could refuse.
    guard isUp else { return }
    stack.log.log(.warning, "the controller could not end link \(handle): \(status)")
    loop.schedule(after: LinkPolicy.disconnectDelay, .background) { [weak self] in
      guard let self, self.isUp, self.phase == .closing else { return }
      self.askToDisconnect(reason)
    }
  }

  /// The stack goes away with its links: nobody is left to be told of anything.
  func abandon() {
    isUp = false
    data.receiver = nil
    farewell?.cancel()
  }

  /// The link is gone: everything on it ends, and nothing is told any more but to the users of channels.
  func linkEnded(_ reason: EndReason) {
    guard isUp else { return }
    isUp = false
    setUpSteps.cancel(loop)
    endSecurity()
    for link in links { link.end() }
    links = []
    database.close()
    if let serverLink {
      serverLink.close()
      stack.server.forget(serverLink)
    }
    bearer.close()
    data.receiver = nil
    channels?.close(reason)
    channels = nil
    farewell?.finish()
    serverLink = nil
    for sent in updates.removeAll() { sent() }
  }
}

extension HostConnection: HCILinkReceiver {
  func link(_ link: HCILink, didReceive packet: HCIACLPacket) {
    channels?.receive(fragment: packet.payload, isFirst: packet.boundary != .continuing)
  }

  func link(_ link: HCILink, didHandOver token: UInt64) { carrier.handedOver(token) }
}

extension HostConnection: ATTBearerOwner {
  func bearer(_ bearer: ATTBearer, didUpdateMTU octets: Int) {
    guard isUp else { return }
    stack.transmissionUnitChanged(self)
    for link in links { link.events?.link(link, didUpdateMaximumTransmissionUnit: octets) }
    for role in stack.peripherals { role.centralChanged(self) }
  }

  /// A peer that does not answer is of no use: no other request may be made until there is a new link
  /// (Core, Vol 3 Part F 3.3.3).
  func bearerDidTimeOut(_ bearer: ATTBearer) {
    guard isUp else { return }
    // What waits for encryption waits with it.
    closingReason = isEncryptingForBond ? .encryptionTimedOut : .timedOut
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
