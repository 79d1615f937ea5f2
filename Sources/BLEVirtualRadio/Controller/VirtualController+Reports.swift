import BLECore
import BLEWire

/// Events to the host, as far as its masks allow them.
extension VirtualController {
  func emit(_ event: some HCIEventParameters, _ bit: HCIEventMask) {
    if host.eventMask.contains(bit) { toHost { HCIPacket(event, in: $0) } }
  }

  func emit(_ event: some HCIEventParameters, _ bit: LEEventMask) {
    // The mask's default leaves out the LE events (Core, Vol 4 Part E 7.3.1).
    if host.eventMask.contains(.leMeta), host.lowEnergyMask.contains(bit) { toHost { HCIPacket(event, in: $0) } }
  }

  // MARK: Connections

  func emitConnectionComplete(_ connection: Connection) {
    guard
      let packet = connectionComplete(
        status: .success, handle: connection.handle, role: connection.role, peer: connection.peerIdentity,
        peerPrivate: connection.peerIdentity.isResolved ? connection.peerAddress : .noPrivateAddress,
        localPrivate: resolvingList.wasMadeHere(connection.localAddress) ? connection.localAddress : .noPrivateAddress,
        timing: connection.timing)
    else { return }
    if configuration.quirks.contains(.dataBeforeConnectionComplete) {
      hold(packet)
    } else {
      toHost(packet)
    }
  }

  func emitConnectionComplete(failure: HCIErrorCode, role: LEConnectionRole) {
    let packet = connectionComplete(
      status: failure, handle: 0, role: role, peer: .none, peerPrivate: .noPrivateAddress,
      localPrivate: .noPrivateAddress,
      timing: ConnectionTiming(interval: 0, latency: 0, timeout: 0))
    if let packet { toHost(packet) }
  }

  /// In the newest form that the host's mask allows; `nil` if it allows none.
  private func connectionComplete(
    status: HCIErrorCode, handle: UInt16, role: LEConnectionRole, peer: HCIAddress, peerPrivate: DeviceAddress,
    localPrivate: DeviceAddress, timing: ConnectionTiming
  ) -> HCIPacket? {
    guard host.eventMask.contains(.leMeta) else { return nil }
    let interval = ConnectionInterval(rawValue: timing.interval)
    let timeout = SupervisionTimeout(rawValue: timing.timeout)
    if host.lowEnergyMask.contains(.enhancedConnectionComplete) {
      return HCIPacket(
        LEEnhancedConnectionCompleteEvent(
          status: status, connectionHandle: ConnectionHandle(handle), role: role, peerAddress: peer,
          localResolvableAddress: localPrivate, peerResolvableAddress: peerPrivate, interval: interval,
          latency: timing.latency,
          supervisionTimeout: timeout, clockAccuracy: .ppm50))
    }
    guard host.lowEnergyMask.contains(.connectionComplete) else { return nil }
    // This form has no identities: the type gives only the kind of address.
    return HCIPacket(
      LEConnectionCompleteEvent(
        status: status, connectionHandle: ConnectionHandle(handle), role: role,
        peerAddress: peer.isResolved ? HCIAddress(peer.address) : peer, interval: interval,
        latency: timing.latency, supervisionTimeout: timeout, clockAccuracy: .ppm50))
  }

  func reportTiming(of connection: Connection, status: HCIErrorCode) {
    emit(
      LEConnectionUpdateCompleteEvent(
        status: status, connectionHandle: ConnectionHandle(connection.handle),
        interval: ConnectionInterval(rawValue: connection.timing.interval), latency: connection.timing.latency,
        supervisionTimeout: SupervisionTimeout(rawValue: connection.timing.timeout)),
      .connectionUpdateComplete)
  }

  /// False if the host has masked the event.
  func askHost(about request: ConnectionParameterRequest, of connection: Connection) -> Bool {
    guard host.eventMask.contains(.leMeta), host.lowEnergyMask.contains(.remoteConnectionParameterRequest) else {
      return false
    }
    // Set before the event is sent: the host may respond within the call.
    connection.procedures.openRequest = request
    emit(
      LERemoteConnectionParameterRequestEvent(
        connectionHandle: ConnectionHandle(connection.handle),
        intervalMinimum: ConnectionInterval(rawValue: request.intervalMinimum),
        intervalMaximum: ConnectionInterval(rawValue: request.intervalMaximum), latency: request.latency,
        supervisionTimeout: SupervisionTimeout(rawValue: request.timeout)),
      .remoteConnectionParameterRequest)
    return true
  }

  func reportRemoteVersion(of connection: Connection, status: HCIErrorCode) {
    let version = connection.procedures.remoteVersion
    emit(
      ReadRemoteVersionInformationCompleteEvent(
        status: status, connectionHandle: ConnectionHandle(connection.handle),
        version: HCIVersion(rawValue: version?.version ?? 0), companyIdentifier: version?.company ?? 0,
        subversion: version?.subversion ?? 0),
      .readRemoteVersionInformationComplete)
  }

  func reportRemoteFeatures(of connection: Connection, status: HCIErrorCode) {
    emit(
      LEReadRemoteFeaturesCompleteEvent(
        status: status, connectionHandle: ConnectionHandle(connection.handle),
        features: LEFeatures(rawValue: connection.procedures.remoteFeatures ?? 0)),
      .readRemoteFeaturesComplete)
  }

  func reportDataLength(of connection: Connection) {
    let transmit = connection.effectiveTransmit
    let receive = connection.effectiveReceive
    emit(
      LEDataLengthChangeEvent(
        connectionHandle: ConnectionHandle(connection.handle), transmitOctets: transmit.octets,
        transmitTime: transmit.time, receiveOctets: receive.octets, receiveTime: receive.time),
      .dataLengthChange)
  }

  func reportPHY(of connection: Connection, status: HCIErrorCode = .success) {
    emit(
      LEPHYUpdateCompleteEvent(
        status: status, connectionHandle: ConnectionHandle(connection.handle), transmitPHY: connection.transmitPHY,
        receivePHY: connection.receivePHY),
      .phyUpdateComplete)
  }
}

extension Connection {
  /// The current RSSI of the peer, in dBm; 127 if it is not in range and never was.
  func readSignal() -> Int8 {
    switch peer {
    case .local(let other):
      if !other.path.isBlocked { lastSignal = other.path.signal(controller.node.chance) }
    case .remote(let link):
      if let signal = link.readSignal() { lastSignal = signal }
    case .none: break
    }
    return lastSignal
  }
}
