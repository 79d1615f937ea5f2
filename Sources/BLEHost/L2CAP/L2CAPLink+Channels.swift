import BLECore
import BLEWire

/// The channels that want to send and wait for their turn. The carrier holds few frames of them at a time: what the attribute
/// protocol says in between is not to wait behind a long line, and each channel is to have its share.
struct L2CAPChannelLine {
  /// Frames of all channels that may be with the carrier: enough to keep a controller busy.
  static let framesUnderWayLimit = 32

  var framesUnderWay = 0
  private var waiting: [L2CAPChannel] = []

  var isFull: Bool { framesUnderWay >= Self.framesUnderWayLimit }

  mutating func append(_ channel: L2CAPChannel) {
    if channel.isInLine { return }
    channel.isInLine = true
    waiting.append(channel)
  }

  mutating func popFirst() -> L2CAPChannel? {
    guard !waiting.isEmpty else { return nil }
    let channel = waiting.removeFirst()
    channel.isInLine = false
    return channel
  }

  mutating func removeAll() { waiting = [] }
}

/// Somebody who waits until the channels that were closed have sent what they had.
struct ChannelFarewell {
  let timer: TimerToken
  let completion: () -> Void
}

extension L2CAPLink {
  /// How many channels this side keeps on one link. What they may hold of received data is this times their window.
  public static let channelLimit = 16

  /// Whether channels are still sending what they had when they were closed, or wait for the peer's word on it.
  public var isFinishingChannels: Bool {
    channels.count > 0 && channels.all.contains { $0.state == .draining || $0.state == .closing }
  }

  /// The channels that are there, those included that are being opened or closed.
  public var channelCount: Int { channels.count }

  // MARK: Sending

  /// Sends what credits and the carrier allow, the channels that wait first.
  func pump(_ channel: L2CAPChannel) {
    if channel.hasFrame { channelLine.append(channel) }
    pumpChannels()
  }

  func channelFrameLeft() {
    if channelLine.framesUnderWay > 0 { channelLine.framesUnderWay -= 1 }
    pumpChannels()
  }

  private func pumpChannels() {
    while !channelLine.isFull, let channel = channelLine.popFirst() {
      guard let frame = channel.takeFrame() else { continue }
      channelLine.framesUnderWay += 1
      send(frame, on: channel.peer.channel, sent: channel.frameLeft)
      if channel.hasFrame { channelLine.append(channel) } else { channel.finishDraining() }
    }
  }

  func sendCredits(_ credits: UInt16, for channel: L2CAPChannel) {
    let grant = L2CAPFlowControlCredit(cid: channel.identifier, credits: credits)
    send(L2CAPSignalingPDU(identifier: takeIdentifier(), command: .flowControlCredit(grant)))
  }

  func receive(_ grant: L2CAPFlowControlCredit) {
    guard let channel = channels.channel(peerIdentifier: grant.cid), channel.isInUse else {
      return ignore("credits for a channel that is not open")
    }
    channel.receive(credits: grant.credits)
  }

  // MARK: Ending

  func requestDisconnection(of channel: L2CAPChannel) {
    let identifier = takeIdentifier()
    let timer = loop.schedule(after: Self.responseTimeout, .background) { [weak self, weak channel] in
      guard let self, let channel else { return }
      self.signaling.channelRequests[identifier] = nil
      self.remove(channel)
    }
    signaling.channelRequests[identifier] = ChannelRequest(kind: .close(channel), timer: timer)
    let request = L2CAPDisconnectionRequest(destinationCID: channel.peer.channel, sourceCID: channel.identifier)
    send(L2CAPSignalingPDU(identifier: identifier, command: .disconnectionRequest(request)))
  }

  func answer(_ request: L2CAPDisconnectionRequest, identifier: UInt8) {
    guard let channel = channels[request.destinationCID], channel.state != .opening else {
      return reject(
        identifier, L2CAPCommandReject(invalidLocal: request.destinationCID, remote: request.sourceCID))
    }
    // Not of this channel: to be dropped (Core, Vol 3 Part A 4.6).
    guard channel.peer.channel == request.sourceCID else { return ignore("a disconnection request of another channel") }
    let response = L2CAPDisconnectionResponse(
      destinationCID: request.destinationCID, sourceCID: request.sourceCID)
    send(L2CAPSignalingPDU(identifier: identifier, command: .disconnectionResponse(response)))
    // Both sides at once: what this side asked for is done as well.
    if channel.state == .closing { forgetRequest(toClose: channel) } else { channel.reason = .closedByPeer }
    remove(channel)
  }

  func finish(_ response: L2CAPDisconnectionResponse, identifier: UInt8) {
    guard case .close(let channel)? = signaling.channelRequests[identifier]?.kind,
      channel.identifier == response.sourceCID, channel.peer.channel == response.destinationCID
    else { return ignore("an unsolicited answer") }
    takeChannelRequest(identifier)
    remove(channel)
  }

  /// The channel is over, and its identifier free.
  func remove(_ channel: L2CAPChannel) {
    channels.remove(channel)
    channel.end(channel.reason)
    if !channelFarewells.isEmpty, !isFinishingChannels { finishFarewells() }
  }

  /// Calls `completion` when the channels that are being closed have sent what they had, at the latest after `limit`, or when
  /// the link has ended.
  func afterFinishingChannels(limit: StackDuration, _ completion: @escaping () -> Void) {
    guard isFinishingChannels else { return completion() }
    let timer = loop.schedule(after: limit, .work) { [weak self] in self?.finishFarewells() }
    channelFarewells.append(ChannelFarewell(timer: timer, completion: completion))
  }

  private func finishFarewells() {
    let farewells = channelFarewells
    channelFarewells = []
    for farewell in farewells {
      loop.cancel(farewell.timer)
      farewell.completion()
    }
  }

  private func forgetRequest(toClose channel: L2CAPChannel) {
    for (identifier, request) in signaling.channelRequests {
      if case .close(let closing) = request.kind, closing === channel { takeChannelRequest(identifier) }
    }
  }

  /// The link is gone.
  func endChannels(_ reason: EndReason) {
    let requests = signaling.channelRequests.sorted { $0.key < $1.key }
    signaling.channelRequests = [:]
    let ended = channels.all
    channels = L2CAPChannelTable()
    channelLine.removeAll()
    for (_, request) in requests {
      loop.cancel(request.timer)
      if case .open(let opening) = request.kind { opening.completion(.failure(.linkClosed)) }
    }
    for channel in ended { channel.end(channel.state == .closing ? channel.reason : reason) }
    finishFarewells()
  }
}
