import BLECore
import BLEWire

/// One end of a connection: its timing, its sequence numbers, its queues.
///
/// The central's end runs the connection events. If the peripheral is on the same air, the central's end simulates the exchange
/// of packets for both ends at the start of the event, and delivers received packets when the last of these packets has ended. If
/// there is nothing to send and nothing can be lost, events are not simulated: see `park()`.
final class Connection: TimerTarget {
  /// The location of the other end.
  enum Peer {
    /// None: the peer never received the connection request, or its controller was closed.
    case none
    case local(Connection)
    case remote(RemoteLink)
  }

  enum Timer: Int {
    case event, chunk, supervision, procedure, authenticatedPayload
  }

  let controller: VirtualController
  let handle: UInt16
  let role: LEConnectionRole
  let accessAddress: UInt32
  let localAddress: DeviceAddress
  /// The peer's address on the air.
  let peerAddress: DeviceAddress
  /// The peer's address in events: the identity address if it was resolved.
  let peerIdentity: HCIAddress
  let created: StackInstant

  var peer = Peer.none
  /// The path to the peer.
  var path = AirPath.blocked
  var isOpen = true
  /// Whether a packet of the peer was received.
  var isEstablished = false

  // Timing.
  var timing: ConnectionTiming
  var eventNumber = 0
  /// The start of the event `eventNumber`.
  var anchor: StackInstant
  /// The last event at which the peripheral listened.
  var lastListened = -1
  var lastHeard: StackInstant
  var isParked = false
  /// Whether the current event has further exchanges.
  var isEventOpen = false
  /// The start of the next packet of the current event.
  var cursor = StackInstant.zero
  var eventTimer = TimerToken()
  var isEventTimerWork = false
  var isSupervisionArmed = false
  var supervisionTimer = TimerToken()
  var supervisionDue = StackInstant.zero
  /// The maximum event length requested by the host; zero if there is none.
  var eventLengthLimit = StackDuration.zero

  /// How often in a row this end was passed over because its radio was with another activity.
  var missedTurns = 0
  /// What the central has seen of the data channels.
  var channelQuality: ChannelQuality?

  // PHYs and lengths.
  var transmitPHY = LEPHY.le1M
  var receivePHY = LEPHY.le1M
  var channelMap = LEChannelMap.all.rawValue
  var preferredTransmit: DataLengthLimit
  var preferredReceive: DataLengthLimit
  var remoteTransmit = DataLengthLimit.smallest
  var remoteReceive = DataLengthLimit.smallest
  var transmitPayloadLimit = 27
  /// The latest limits of this side that the peer has received.
  var announcedTransmit = DataLengthLimit.smallest
  /// The lengths in both directions that the host was notified of.
  var reportedLengths = (transmit: DataLengthLimit.smallest, receive: DataLengthLimit.smallest)

  // Packets.
  /// The number of PDUs that the peer has acknowledged; the lowest bit is SN.
  var transmitCount = 0
  /// The number of PDUs accepted from the peer; the lowest bit is NESN.
  var receiveCount = 0
  var current = OutgoingPDU.empty
  var hasCurrent = false
  let control = PacketQueue<[UInt8]>()
  let waiting = PacketQueue<WaitingPacket>()
  let incoming = PacketQueue<IncomingPDU>()
  /// Packets of the host that were sent completely and not yet reported.
  var completed = 0
  /// Packets of the host in the controller's buffers.
  var outstanding = 0
  /// Packets that were passed to the host, which has not reported them as completed.
  var heldByHost = 0
  /// The RSSI of the last received packet, in dBm; 127 before the first.
  var lastSignal: Int8 = 127

  // Control procedures.
  let procedures = ProcedureState()
  let encryption = EncryptionState()
  /// Why this side ends the connection; the termination was sent or queued.
  var terminationSent: UInt8?
  var isTerminationAcknowledged = false
  /// Why the peer ended it.
  var terminationReceived: UInt8?

  init(
    controller: VirtualController, handle: UInt16, role: LEConnectionRole, accessAddress: UInt32,
    localAddress: DeviceAddress,
    peerAddress: DeviceAddress, peerIdentity: HCIAddress, timing: ConnectionTiming, created: StackInstant,
    anchor: StackInstant
  ) {
    self.controller = controller
    self.handle = handle
    self.role = role
    self.accessAddress = accessAddress
    self.localAddress = localAddress
    self.peerAddress = peerAddress
    self.peerIdentity = peerIdentity
    self.timing = timing
    self.created = created
    self.anchor = anchor
    lastHeard = created
    preferredTransmit = controller.defaultDataLength
    preferredReceive = controller.configuration.supportsDataLengthExtension ? .largest : .smallest
  }

  var air: Air { controller.air }
  var loop: any StackLoop { controller.loop }
  var isCentral: Bool { role == .central }

  /// Whether packets of the host are waiting and may be sent.
  private var hasDataWaiting: Bool { !waiting.isEmpty && encryption.isSettled }
  /// Whether anything is waiting, or sent and unacknowledged.
  var hasDataToSend: Bool { (hasCurrent && !current.isFiller) || !control.isEmpty || hasDataWaiting }
  /// Whether anything is waiting behind the current PDU: the MD bit.
  var hasMoreData: Bool { !control.isEmpty || hasDataWaiting }
  /// Whether this end has no pending activity.
  var isIdle: Bool {
    !hasDataToSend && !procedures.hasInstant && terminationSent == nil && incoming.isEmpty && completed == 0
  }

  func timerFired(tag: Int) {
    switch Timer(rawValue: tag) {
    case .event: runEvent()
    case .chunk: finishChunk()
    case .supervision: superviseNow()
    case .procedure: procedureTimedOut()
    case .authenticatedPayload: payloadTimerFired()
    case nil: break
    }
  }
}
