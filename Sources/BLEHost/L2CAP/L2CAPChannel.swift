import BLEAdapter
import BLECore
import BLEWire

/// One end of a channel with credit-based flow control (Core, Vol 3 Part A 10.1 and 10.2). Everything on the loop.
///
/// Its link keeps it from the moment that its identifier is taken until it is closed.
public final class L2CAPChannel: PeerChannel {
  enum State {
    /// The peer was asked and has not answered.
    case opening
    case open
    /// To be closed when everything has been sent.
    case draining
    /// The peer was asked to close it.
    case closing
    case closed
  }

  public let multiplexer: ProtocolServiceMultiplexer
  /// Its name on this side.
  public let identifier: ChannelIdentifier
  public let mode: L2CAPChannelMode
  public let parameters: L2CAPChannelParameters
  public weak var events: (any PeerChannelEvents)?

  /// Gone with the link, which outlives its open channels.
  private(set) weak var link: L2CAPLink?
  var state = State.opening
  /// Why it is being closed.
  var reason = EndReason.requested
  /// While it is draining.
  var drainTimer: TimerToken?
  /// How the peer names it, what it takes, and what it lets this side send.
  var peer = L2CAPChannelPeer(channel: ChannelIdentifier(0), mtu: 0, mps: 0, credits: 0)
  var outgoing = L2CAPChannelQueue()
  var incoming: L2CAPChannelIntake
  /// In the link's line of channels that want to send.
  var isInLine = false
  /// One closure for all frames. The link counts them, whether the channel is still there or not.
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

  /// How the peer names it; 0 while it is being opened.
  public var peerIdentifier: ChannelIdentifier { peer.channel }
  /// Frames that the peer lets this side send.
  public var credits: Int { Int(peer.credits) }
  /// Frames that this side lets the peer send.
  public var grantedCredits: Int { incoming.grantedCredits }
  /// Received octets that nobody has read.
  public var unreadOctets: Int { incoming.unread }
  /// Whether octets can come and go.
  public var isOpen: Bool { state == .open }

  public var isClosed: Bool { state == .closed }
  /// Whether the peer may still say something about it.
  var isInUse: Bool { state == .open || state == .draining }

  func open(with peer: L2CAPChannelPeer) {
    self.peer = peer
    state = .open
  }

  /// Ends it when what waits has been sent, in 30 s at the most.
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

  /// Asks the peer to close it; nothing more is sent or taken.
  func disconnect(_ reason: EndReason) {
    guard let link, state == .open || state == .draining else { return }
    cancelDrain()
    state = .closing
    self.reason = reason
    outgoing.removeAll()
    link.requestDisconnection(of: self)
  }

  /// The peer does what no peer may: the channel ends, the link goes on.
  func refuse(_ what: String) {
    link?.log.log(.info, "channel \(identifier): \(what)")
    link?.statistics.violatedChannels += 1
    disconnect(.protocolViolated)
    // Whatever the peer says to that, nothing more comes of it.
    tellEnd(.protocolViolated)
  }

  /// It is over.
  func end(_ reason: EndReason) {
    guard state != .closed else { return }
    cancelDrain()
    let wasOpening = state == .opening
    state = .closed
    outgoing.removeAll()
    if !wasOpening { tellEnd(reason) }
  }

  private func tellEnd(_ reason: EndReason) {
    let events = events
    self.events = nil
    events?.channel(self, didClose: reason)
  }

  private func cancelDrain() {
    if let drainTimer { link?.loop.cancel(drainTimer) }
    drainTimer = nil
  }
}
