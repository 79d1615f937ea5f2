import BLECore
import BLEWire

/// Procedures begun by this side, and changes that take effect at an instant.
extension Connection {
  /// The number of events to an instant: enough to retransmit the announcement if packets are lost, and if this link gets only some of
  /// the turns of a radio that several share.
  private var instantDistance: Int { min((6 + 2 * (Int(timing.latency) + 1)) * linksInTurn, Self.farthestInstant) }

  /// An instant is less than 32,768 events away (Core, Vol 6 Part B 5.5.1).
  private static let farthestInstant = 32_000

  func start(_ procedure: LinkProcedure) {
    procedures.enqueue(procedure)
    startNextProcedure()
  }

  func startNextProcedure() {
    guard isOpen, encryption.isSettled, let procedure = procedures.startNext(on: loop, for: self) else { return }
    switch procedure {
    case .versionExchange:
      procedures.isVersionSent = true
      send(control: controller.versionIndication.payload)
    case .featureExchange:
      let features = controller.features.rawValue
      send(
        control: isCentral
          ? FeatureRequest(features: features).payload : PeripheralFeatureRequest(features: features).payload)
    case .dataLengthUpdate:
      announcedTransmit = preferredTransmit
      send(
        control: LengthRequest(
          maximumReceiveOctets: preferredReceive.octets, maximumReceiveTime: preferredReceive.time,
          maximumTransmitOctets: preferredTransmit.octets, maximumTransmitTime: preferredTransmit.time
        ).payload)
    case .phyUpdate(let transmit, let receive, _):
      send(control: PhyRequest(transmit: transmit.rawValue, receive: receive.rawValue).payload)
    case .connectionUpdate(let timing):
      sendConnectionUpdate(timing, isFromHost: true)
    case .parameterRequest(let request):
      send(control: request.payload)
    case .channelMapUpdate(let map):
      let event = eventNumber + instantDistance
      procedures.channelMapChange = PendingChange(event: event, value: map)
      send(control: ChannelMapIndication(channelMap: map, instant: UInt16(truncatingIfNeeded: event)).payload)
    case .encryption(let start): startEncryption(start)
    }
  }

  func finishProcedure() {
    let finished = procedures.running
    procedures.finish(loop)
    // The host may have changed its request in the meantime.
    if finished == .dataLengthUpdate { announceDataLength() }
    startNextProcedure()
  }

  func procedureTimedOut() {
    guard isOpen else { return }
    close(reason: .linkLayerResponseTimeout)
  }

  /// As the central: sends the new timing to the peripheral.
  func sendConnectionUpdate(_ timing: ConnectionTiming, isFromHost: Bool) {
    if isParked { unpark() }
    let event = eventNumber + instantDistance
    procedures.timingChange = PendingChange(event: event, value: .init(timing: timing, isFromHost: isFromHost))
    send(
      control: ConnectionUpdateIndication(
        windowSize: 1, windowOffset: 0, interval: timing.interval, latency: timing.latency, timeout: timing.timeout,
        instant: UInt16(truncatingIfNeeded: event)
      ).payload)
  }

  /// As the central: chooses PHYs that both sides prefer and sends them to the peripheral.
  func sendPHYUpdate(peerTransmit: UInt8, peerReceive: UInt8, isFromHost: Bool) {
    let own = ownPHYs
    let transmit = Self.choose(own.transmit.rawValue & peerReceive, now: transmitPHY)
    let receive = Self.choose(own.receive.rawValue & peerTransmit, now: receivePHY)
    let changes = transmit != transmitPHY || receive != receivePHY
    let event = eventNumber + instantDistance
    if changes {
      procedures.phyChange = PendingChange(
        event: event, value: .init(transmit: transmit, receive: receive, isFromHost: isFromHost))
    }
    send(
      control: PhyUpdateIndication(
        centralToPeripheral: transmit == transmitPHY ? 0 : Self.bit(transmit),
        peripheralToCentral: receive == receivePHY ? 0 : Self.bit(receive),
        instant: UInt16(truncatingIfNeeded: event)
      ).payload)
    if changes { return }
    if isFromHost { controller.reportPHY(of: self) }
    if case .phyUpdate = procedures.running { finishProcedure() }
  }

  /// The PHYs that this side requests: those of the running procedure, otherwise the host's defaults.
  var ownPHYs: (transmit: LEPHYSet, receive: LEPHYSet) {
    if case .phyUpdate(let transmit, let receive, _) = procedures.running { return (transmit, receive) }
    return controller.defaultPHYs
  }

  private static func choose(_ bits: UInt8, now: LEPHY) -> LEPHY {
    let set = LEPHYSet(rawValue: bits)
    if set.contains(.le2M) { return .le2M }
    if set.contains(.le1M) { return .le1M }
    return set.contains(.leCoded) ? .leCoded : now
  }

  static func bit(_ phy: LEPHY) -> UInt8 { 1 << (phy.rawValue - 1) }

  static func phy(bit: UInt8) -> LEPHY? {
    switch bit {
    case 1: .le1M
    case 2: .le2M
    case 4: .leCoded
    default: nil
    }
  }

  // MARK: Instants

  /// The event of an instant, of which the lower 16 bits are sent.
  func event(at instant: UInt16) -> Int {
    eventNumber + Int(Int16(truncatingIfNeeded: Int(instant) - eventNumber))
  }

  /// Applies the changes whose instant is `event` or earlier.
  func applyInstants(upTo event: Int) {
    guard procedures.hasInstant else { return }
    if let change = procedures.timingChange, change.event <= event {
      procedures.timingChange = nil
      let isNew = timing != change.value.timing
      timing = change.value.timing
      loop.cancel(supervisionTimer)
      isSupervisionArmed = false
      armSupervision()
      switch procedures.running {
      case .connectionUpdate, .parameterRequest: finishProcedure()
      default: break
      }
      if isNew || change.value.isFromHost { controller.reportTiming(of: self, status: .success) }
    }
    if let change = procedures.phyChange, change.event <= event {
      procedures.phyChange = nil
      transmitPHY = change.value.transmit
      receivePHY = change.value.receive
      updateDataLength()
      if case .phyUpdate = procedures.running { finishProcedure() }
      controller.reportPHY(of: self)
    }
    if let change = procedures.channelMapChange, change.event <= event {
      procedures.channelMapChange = nil
      channelMap = change.value
      if case .channelMapUpdate = procedures.running { finishProcedure() }
    }
  }

  // MARK: Data length

  /// The limits for what is sent and received.
  var effectiveTransmit: DataLengthLimit { preferredTransmit.limited(by: remoteReceive) }
  var effectiveReceive: DataLengthLimit { preferredReceive.limited(by: remoteTransmit) }

  /// Either side begins the Data Length Update if its values differ from those that the peer has received (Core, Vol 6 Part B 5.1.9).
  func announceDataLength() {
    guard preferredTransmit != announcedTransmit, !procedures.contains(where: { $0 == .dataLengthUpdate }) else {
      return
    }
    start(.dataLengthUpdate)
  }

  func updateDataLength() {
    transmitPayloadLimit = effectiveTransmit.payload(on: transmitPHY)
  }

  /// Stores the peer's limits and notifies the host if a limit changed.
  func setRemoteDataLength(transmit: DataLengthLimit, receive: DataLengthLimit) {
    remoteTransmit = transmit
    remoteReceive = receive
    updateDataLength()
    guard reportedLengths != (effectiveTransmit, effectiveReceive) else { return }
    reportedLengths = (effectiveTransmit, effectiveReceive)
    controller.reportDataLength(of: self)
  }
}
