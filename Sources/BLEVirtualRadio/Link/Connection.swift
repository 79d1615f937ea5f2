import BLECore
import BLEWire

/// One end of a connection: its timing, its sequence numbers, what waits to be sent.
///
/// The central's end runs the connection events. Where the peripheral is on the same air it plays the exchange of packets of
/// both ends in one go, at the start of the event, and hands out what arrived when the last of these packets has ended.
/// Where nothing is to be sent and nothing can be lost, no event is played at all: see `park()`.
final class Connection: TimerTarget {
  /// Where the other end is.
  enum Peer {
    /// Nobody: the peer never heard of this connection, or its controller is gone.
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
  /// As it is on the air.
  let peerAddress: DeviceAddress
  /// As events tell it: the identity where the peer's address was resolved.
  let peerIdentity: HCIAddress
  let created: StackInstant

  var peer = Peer.none
  /// How packets get to the peer.
  var path = AirPath.blocked
  var isOpen = true
  /// The peer has been heard once.
  var isEstablished = false

  // When.
  var timing: ConnectionTiming
  var eventNumber = 0
  /// When the event `eventNumber` begins.
  var anchor: StackInstant
  /// The last event at which the peripheral listened.
  var lastListened = -1
  var lastHeard: StackInstant
  var isParked = false
  /// Exchanges of the present event go on.
  var isEventOpen = false
  /// When the next packet of the present event begins.
  var cursor = StackInstant.zero
  var eventTimer = TimerToken()
  var isEventTimerWork = false
  var isSupervisionArmed = false
  var supervisionTimer = TimerToken()
  var supervisionDue = StackInstant.zero
  /// The longest event that the host asked for; zero where it did not.
  var eventLengthLimit = StackDuration.zero

  // How.
  var transmitPHY = LEPHY.le1M
  var receivePHY = LEPHY.le1M
  var channelMap = LEChannelMap.all.rawValue
  var preferredTransmit: DataLengthLimit
  var preferredReceive: DataLengthLimit
  var remoteTransmit = DataLengthLimit.smallest
  var remoteReceive = DataLengthLimit.smallest
  var transmitPayloadLimit = 27
  /// What the peer knows of what this side would send at most.
  var announcedTransmit = DataLengthLimit.smallest
  /// What the host knows of the lengths in both directions.
  var reportedLengths = (transmit: DataLengthLimit.smallest, receive: DataLengthLimit.smallest)

  // What.
  /// How many PDUs the peer has acknowledged; the lowest bit is SN.
  var transmitCount = 0
  /// How many PDUs have been accepted from the peer; the lowest bit is NESN.
  var receiveCount = 0
  var current = OutgoingPDU.empty
  var hasCurrent = false
  var control = PacketQueue<[UInt8]>()
  var waiting = PacketQueue<WaitingPacket>()
  var incoming: [IncomingPDU] = []
  /// Packets of the host that went out whole and were not yet reported.
  var completed = 0
  /// Packets of the host in the controller's buffers.
  var outstanding = 0
  /// Packets that the host has been given and not yet reported as worked off.
  var heldByHost = 0
  /// The signal of the last packet heard, in dBm; 127 before the first.
  var lastSignal: Int8 = 127

  // Control procedures.
  var procedures = ProcedureState()
  var encryption = EncryptionState()
  /// Why this side ends the connection; the peer has been told or is about to be.
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

  /// Packets of the host wait, and may be sent.
  private var hasDataWaiting: Bool { !waiting.isEmpty && encryption.isSettled }
  /// Something waits to be sent, or was sent and not acknowledged.
  var hasDataToSend: Bool { (hasCurrent && !current.isFiller) || !control.isEmpty || hasDataWaiting }
  /// Something waits behind the PDU that is being sent: the MD bit.
  var hasMoreData: Bool { !control.isEmpty || hasDataWaiting }
  /// Nothing is under way at this end.
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
