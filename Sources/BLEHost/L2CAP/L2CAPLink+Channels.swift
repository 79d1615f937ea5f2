import BLECore
import BLEWire

/// Schedules the channels that have data to send, in turn. Only a few of their frames are with the carrier at a time, so that
/// packets of the attribute protocol do not wait behind a long queue and each channel gets its share.
struct L2CAPChannelScheduler {
  /// The most frames of all channels together that may be with the carrier: enough to keep a controller busy.
  static let framesInFlightLimit = 32

  var framesInFlight = 0
  private var waiting: [L2CAPChannel] = []

  var isFull: Bool { framesInFlight >= Self.framesInFlightLimit }

  mutating func append(_ channel: L2CAPChannel) {
    if channel.isScheduled { return }
    channel.isScheduled = true
    waiting.append(channel)
  }

  mutating func popFirst() -> L2CAPChannel? {
    guard !waiting.isEmpty else { return nil }
    let channel = waiting.removeFirst()
    channel.isScheduled = false
    return channel
  }

  mutating func removeAll() { waiting = [] }
}

/// A caller that waits until the closed channels have sent their queued data.
struct ChannelDrainWaiter {
  let timer: TimerToken
  let completion: () -> Void
}

extension L2CAPLink {
  /// The most channels that this side allows on one link. It times their window bounds the received data held for them.
  public static let channelLimit = 16

  /// Whether closed channels are still sending their queued data, or wait for the disconnection response.
  public var isFinishingChannels: Bool {
    channels.count > 0 && channels.all.contains { $0.state == .draining || $0.state == .closing }
  }

  /// The number of channels, including those being opened or closed.
  public var channelCount: Int { channels.count }

  // MARK: Sending

  /// Sends what credits and the carrier allow; channels that have waited longer come first.
  func pump(_ channel: L2CAPChannel) {
    if channel.hasFrame { channelScheduler.append(channel) }
    pumpChannels()
  }

  func channelFrameLeft() {
    if channelScheduler.framesInFlight > 0 { channelScheduler.framesInFlight -= 1 }
    pumpChannels()
  }

  private func pumpChannels() {
    while !channelScheduler.isFull, let channel = channelScheduler.popFirst() {
      guard let frame = channel.takeFrame() else { continue }
      channelScheduler.framesInFlight += 1
      send(frame, on: channel.peer.channel, sent: channel.frameLeft)
      if channel.hasFrame { channelScheduler.append(channel) } else { channel.finishDraining() }
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
    // The identifiers are not of one channel: the request is dropped (Core, Vol 3 Part A 4.6).
    guard channel.peer.channel == request.sourceCID else { return ignore("a disconnection request of another channel") }
    let response = L2CAPDisconnectionResponse(
      destinationCID: request.destinationCID, sourceCID: request.sourceCID)
    send(L2CAPSignalingPDU(identifier: identifier, command: .disconnectionResponse(response)))
    // Both sides closed it at the same time: the request of this side is complete, too.
    if channel.state == .closing { forgetRequest(toClose: channel) } else { channel.reason = .closedByPeer }
    remove(channel)
  }

  func finish(_ response: L2CAPDisconnectionResponse, identifier: UInt8) {
    guard case .close(let channel)? = signaling.channelRequests[identifier]?.kind,
      channel.identifier == response.sourceCID, channel.peer.channel == response.destinationCID
    else { return ignore("an unsolicited response") }
    takeChannelRequest(identifier)
    remove(channel)
  }

  /// Ends the channel and frees its identifier.
  func remove(_ channel: L2CAPChannel) {
    channels.remove(channel)
    channel.end(channel.reason)
    if !channelDrainWaiters.isEmpty, !isFinishingChannels { resumeDrainWaiters() }
  }

  /// Calls `completion` when the channels that are being closed have sent their queued data, at the latest after `limit` or
  /// when the link ends.
  func afterFinishingChannels(limit: StackDuration, _ completion: @escaping () -> Void) {
    guard isFinishingChannels else { return completion() }
    let timer = loop.schedule(after: limit, .work) { [weak self] in self?.resumeDrainWaiters() }
    channelDrainWaiters.append(ChannelDrainWaiter(timer: timer, completion: completion))
  }

  private func resumeDrainWaiters() {
    let waiters = channelDrainWaiters
    channelDrainWaiters = []
    for waiter in waiters {
      loop.cancel(waiter.timer)
      waiter.completion()
    }
  }

  private func forgetRequest(toClose channel: L2CAPChannel) {
    for (identifier, request) in signaling.channelRequests {
      if case .close(let closing) = request.kind, closing === channel { takeChannelRequest(identifier) }
    }
  }

  /// The link has ended: ends all channels and fails the open requests.
  func endChannels(_ reason: EndReason) {
    let requests = signaling.channelRequests.sorted { $0.key < $1.key }
    signaling.channelRequests = [:]
    let ended = channels.all
    channels = L2CAPChannelTable()
    channelScheduler.removeAll()
    for (_, request) in requests {
      loop.cancel(request.timer)
      if case .open(let opening) = request.kind { opening.completion(.failure(.linkClosed)) }
    }
    for channel in ended { channel.end(channel.state == .closing ? channel.reason : reason) }
    resumeDrainWaiters()
  }
}
