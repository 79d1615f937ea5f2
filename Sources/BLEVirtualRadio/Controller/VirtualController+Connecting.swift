import BLECore
import BLEWire

/// Establishing connections (Core, Vol 4 Part E 7.8.12, 7.8.13, 7.8.66).
extension VirtualController {
  static func addConnectCommands(to table: inout CommandTable) {
    table.beginning(LECreateConnection.self) { controller, command in
      try controller.require(.legacy)
      guard isValid(command.scanInterval, command.scanWindow, limit: 0x4000) else {
        throw HCIErrorCode.invalidParameters
      }
      return try controller.initiate(
        policy: command.filterPolicy, peer: command.peerAddress, ownAddressType: command.ownAddressType,
        parameters: command.parameters, windows: [.le1M: controller.window(command.scanInterval, command.scanWindow)],
        isExtended: false)
    }
    table.beginning(LEExtendedCreateConnection.self) { controller, command in
      try controller.require(.extended)
      let phys: [LEPHY] = [.le1M, .le2M, .leCoded].filter { command.phys.rawValue & Connection.bit($0) != 0 }
      // An initiator cannot scan on LE 2M: its parameters apply to the connection only.
      guard let first = command.entries.first, phys.count == command.entries.count, phys != [.le2M],
        command.phys.isSubset(of: [.le1M, .le2M, .leCoded])
      else { throw HCIErrorCode.invalidParameters }
      var windows: [LEPHY: ListeningWindow] = [:]
      for (phy, entry) in zip(phys, command.entries) where phy != .le2M {
        guard isValid(entry.scanInterval, entry.scanWindow, limit: 0xFFFF) else { throw HCIErrorCode.invalidParameters }
        windows[phy] = controller.window(entry.scanInterval, entry.scanWindow)
      }
      return try controller.initiate(
        policy: command.filterPolicy, peer: command.peerAddress, ownAddressType: command.ownAddressType,
        parameters: first.parameters, windows: windows, isExtended: true)
    }
    table.actionThen(LECreateConnectionCancel.self) { controller, _ in
      guard let initiator = controller.initiator else { throw HCIErrorCode.commandDisallowed }
      initiator.stop()
      controller.initiator = nil
      return { controller.emitConnectionComplete(failure: .unknownConnectionIdentifier, role: .central) }
    }
  }

  private func initiate(
    policy: LEInitiatorFilterPolicy, peer: HCIAddress, ownAddressType: LEOwnAddressType,
    parameters: ConnectionParameters, windows: [LEPHY: ListeningWindow], isExtended: Bool
  ) throws -> () -> Void {
    guard initiator == nil, scanner == nil || !configuration.quirks.contains(.scanExcludesInitiating) else {
      throw HCIErrorCode.commandDisallowed
    }
    guard policy.rawValue <= 1, Self.isValid(parameters), policy == .acceptList || peer.type.rawValue <= 3 else {
      throw HCIErrorCode.invalidParameters
    }
    guard hasRoomForConnection else { throw HCIErrorCode.connectionLimitExceeded }
    if policy == .peerAddress, connection(to: identity(peer.address)) != nil {
      throw HCIErrorCode.connectionAlreadyExists
    }
    // Towards a peer with a private address of this device, that address is used.
    let own = try ownAddress(ownAddressType, random: host.randomAddress)
    let settings = Initiator.Settings(
      peer: policy == .peerAddress ? peer.address : nil, ownAddress: own, isPrivate: ownAddressType.isPrivate,
      parameters: parameters, windows: windows,
      isExtended: isExtended)
    initiator = Initiator(controller: self, settings: settings)
    return {}
  }

  static func isValid(_ parameters: ConnectionParameters) -> Bool {
    let minimum = timing(parameters, interval: parameters.intervalMinimum)
    let maximum = timing(parameters, interval: parameters.intervalMaximum)
    return minimum.isValid && maximum.isValid && parameters.intervalMinimum <= parameters.intervalMaximum
      && parameters.eventLengthMinimum <= parameters.eventLengthMaximum
  }

  static func timing(_ parameters: ConnectionParameters, interval: ConnectionInterval) -> ConnectionTiming {
    ConnectionTiming(
      interval: interval.rawValue, latency: parameters.latency, timeout: parameters.supervisionTimeout.rawValue)
  }

  // MARK: From the link layer

  /// Makes this side's end of a connection and adds it to the tables.
  func openConnection(_ role: LEConnectionRole, _ indication: ConnectIndication, created: StackInstant) -> Connection {
    let isCentral = role == .central
    let peer = isCentral ? indication.advertiser : indication.initiator
    let connection = Connection(
      controller: self, handle: newHandle(), role: role, accessAddress: indication.accessAddress,
      localAddress: isCentral ? indication.initiator : indication.advertiser,
      peerAddress: peer, peerIdentity: reported(peer),
      timing: ConnectionTiming(
        interval: indication.interval, latency: indication.latency, timeout: indication.timeout),
      created: created,
      // transmitWindowDelay of a connection made by legacy PDUs (Core, Vol 6 Part B 4.5.3).
      anchor: created + .microseconds(1_250 + 1_250 * Int64(indication.windowOffset)))
    connection.channelMap = indication.channelMap
    insert(connection)
    return connection
  }

  /// The connection request was sent: the central's end begins.
  func initiatorConnected(
    _ indication: ConnectIndication, peer: Connection.Peer, created: StackInstant, phy: LEPHY
  ) {
    guard let initiator else { return }
    let limit = initiator.settings.parameters.eventLengthMaximum
    initiator.stop()
    self.initiator = nil
    let connection = openConnection(.central, indication, created: created)
    connection.peer = peer
    connection.eventLengthLimit = .microseconds(Int64(limit) * 625)
    connection.transmitPHY = phy
    connection.receivePHY = phy
    if case .local(let other) = peer {
      other.peer = .local(connection)
      other.transmitPHY = phy
      other.receivePHY = phy
      other.updateDataLength()
      other.refreshPath()
      other.begin()
    }
    if case .remote(let link) = peer { link.connection = connection }
    connection.updateDataLength()
    connection.refreshPath()
    connection.begin()
    linkOpened(connection)
  }

  /// Reports a new connection to the host.
  func linkOpened(_ connection: Connection) {
    emitConnectionComplete(connection)
    emit(
      LEChannelSelectionAlgorithmEvent(
        connectionHandle: ConnectionHandle(connection.handle), algorithm: .algorithm2),
      .channelSelectionAlgorithm)
  }

  /// The first packet of the peer was received.
  func linkEstablished(_ connection: Connection) {
    connection.announceDataLength()
    if configuration.quirks.contains(.hardwareError), !hasFailedOnce {
      hasFailedOnce = true
      loop.schedule(after: .milliseconds(100), .work, self, tag: Timer.hardware.rawValue)
    }
  }

  func linkClosed(_ connection: Connection, reason: HCIErrorCode) {
    remove(connection)
    emit(
      DisconnectionCompleteEvent(
        status: .success, connectionHandle: ConnectionHandle(connection.handle), reason: reason),
      .disconnectionComplete)
  }
}
