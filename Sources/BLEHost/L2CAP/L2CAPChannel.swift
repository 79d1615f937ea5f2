import BLEAdapter
import BLECore
import BLEWire

/// One end of a channel with credit-based flow control (Core, Vol 3 Part A 10.1 and 10.2). Everything on the loop.
///
/// Its link retains it from the allocation of its identifier until it is closed.
public final class L2CAPChannel: PeerChannel {
  enum State {
    /// The peer has not answered the connection request.
    case opening
    case open
    /// Closes when everything queued has been sent.
    case draining
    /// A disconnection request was sent.
    case closing
    case closed
  }

  public let multiplexer: ProtocolServiceMultiplexer
  /// The channel identifier (CID) on this side.
  public let identifier: ChannelIdentifier
  public let mode: L2CAPChannelMode
  public let parameters: L2CAPChannelParameters
  public weak var events: (any PeerChannelEvents)?

  /// `nil` once the link is deallocated; the link outlives its open channels.
  private(set) weak var link: L2CAPLink?
  var state = State.opening
  /// Why the channel is being closed.
  var reason = EndReason.requested
  /// Limits the time in state `draining`.
  var drainTimer: TimerToken?
  /// The peer's end: its channel identifier, MTU and MPS, and the credits it has granted.
  var peer = L2CAPChannelPeer(channel: ChannelIdentifier(0), mtu: 0, mps: 0, credits: 0)
  var outgoing = L2CAPChannelQueue()
  var incoming: L2CAPChannelIntake
  /// Whether the link's scheduler holds this channel.
  var isScheduled = false
  /// One closure for all frames. The link counts them even if the channel has been deallocated.
  private(set) lazy var frameLeft: () -> Void = { [weak self, weak link] in
    if let self { self.oneFrameLeft() } else { link?.channelFrameLeft() }
  }

  init(
    multiplexer: ProtocolServiceMultiplexer, identifier: ChannelIdentifier, mode: L2CAPChannelMode,
    parameters: L2CAPChannelParameters, link: L2CAPLink
  ) {
    self.multiplexer = multiplexer
    self.identifier = identifier
    self.mode = mode
    self.parameters = parameters
    self.link = link
    incoming = L2CAPChannelIntake(parameters)
  }

  /// The channel identifier on the peer's side; 0 while the channel is being opened.
  public var peerIdentifier: ChannelIdentifier { peer.channel }
  /// The number of frames that this side may send.
  public var credits: Int { Int(peer.credits) }
  /// The number of frames that the peer may send.
  public var grantedCredits: Int { incoming.grantedCredits }
  /// Received octets that the application has not read.
  public var unreadOctets: Int { incoming.unread }
  /// Whether data can be sent and received.
  public var isOpen: Bool { state == .open }

  public var isClosed: Bool { state == .closed }
  /// Whether signaling commands of the peer may refer to the channel.
  var isInUse: Bool { state == .open || state == .draining }

  func open(with peer: L2CAPChannelPeer) {
    self.peer = peer
    state = .open
  }

  /// Closes the channel once queued data has been sent, after 30 s at the latest.
  public func close() {
    switch state {
    case .open:
      if outgoing.isEmpty { return disconnect(.requested) }
      state = .draining
      drainTimer = link?.loop.schedule(after: L2CAPLink.responseTimeout, .background) { [weak self] in
        self?.drainTimer = nil
        self?.disconnect(.requested)
      }
    case .opening, .draining, .closing, .closed: break
    }
  }

  /// Sends a disconnection request; queued data is discarded.
  func disconnect(_ reason: EndReason) {
    guard let link, state == .open || state == .draining else { return }
    cancelDrain()
    state = .closing
    self.reason = reason
    outgoing.removeAll()
    link.requestDisconnection(of: self)
  }

  /// The peer violated the protocol: the channel is closed, the link stays.
  func closeAfterViolation(_ what: String) {
    link?.log.log(.info, "channel \(identifier): \(what)")
    link?.statistics.violatedChannels += 1
    disconnect(.protocolViolated)
    // Reported without waiting for the disconnection response, which changes nothing.
    reportClosure(.protocolViolated)
  }

  /// The channel has ended: reports it unless it was never open.
  func end(_ reason: EndReason) {
    guard state != .closed else { return }
    cancelDrain()
    let wasOpening = state == .opening
    state = .closed
    outgoing.removeAll()
    if !wasOpening { reportClosure(reason) }
  }

  private func reportClosure(_ reason: EndReason) {
    let events = events
    self.events = nil
    events?.channel(self, didClose: reason)
  }

  private func cancelDrain() {
    if let drainTimer { link?.loop.cancel(drainTimer) }
    drainTimer = nil
  }
}
