import BLECore
import BLEWire

/// A request about channels that waits for its answer.
struct ChannelRequest {
  enum Kind {
    case open(Opening)
    case close(L2CAPChannel)
  }

  /// Channels that the peer was asked for.
  struct Opening {
    let channels: [L2CAPChannel]
    /// When the peer must have said yes or no, however often it asks for patience.
    let deadline: StackInstant
    let completion: L2CAPLink.Opened
  }

  let kind: Kind
  var timer: TimerToken
}

extension L2CAPLink {
  /// Gets the channels that were opened, at least one of them, or why there is none. Never inside the call that asked.
  public typealias Opened = (Result<[L2CAPChannel], L2CAPChannelFailure>) -> Void

  /// Opens a channel: an enhanced one where the peer has them, else an ordinary one.
  ///
  /// On an LE link nobody says beforehand whether it knows enhanced channels. So the peer is asked for one, and whoever answers
  /// that it doesn't understand, or has nothing to be opened in that way, is asked for an ordinary one.
  public func openChannel(
    _ multiplexer: ProtocolServiceMultiplexer,
    _ completion: @escaping (Result<L2CAPChannel, L2CAPChannelFailure>) -> Void
  ) {
    let deadline = loop.now + Self.openingLimit
    let openOrdinary = { [self] in
      openChannels(1, to: multiplexer, mode: .leCreditBased, until: deadline) { completion($0.map { $0[0] }) }
    }
    guard usesEnhancedChannels, !signaling.peerLacksEnhancedChannels else { return openOrdinary() }
    openChannels(1, to: multiplexer, mode: .enhancedCreditBased, until: deadline) { [self] result in
      switch result {
      case .success(let opened): completion(.success(opened[0]))
      case .failure(.notUnderstood):
        signaling.peerLacksEnhancedChannels = true
        openOrdinary()
      case .failure(.refused(.spsmNotSupported)): openOrdinary()
      case .failure(let failure): completion(.failure(failure))
      }
    }
  }

  /// Asks for up to five channels in enhanced mode by one request, or for one in the other mode.
  public func openChannels(
    _ count: Int, to multiplexer: ProtocolServiceMultiplexer, mode: L2CAPChannelMode, _ completion: @escaping Opened
  ) {
    openChannels(count, to: multiplexer, mode: mode, until: loop.now + Self.openingLimit, completion)
  }

  private func openChannels(
    _ count: Int, to multiplexer: ProtocolServiceMultiplexer, mode: L2CAPChannelMode, until deadline: StackInstant,
    _ completion: @escaping Opened
  ) {
    let most = mode == .enhancedCreditBased ? L2CAPLimits.maximumChannelsPerRequest : 1
    var channels: [L2CAPChannel] = []
    while channels.count < min(max(1, count), most), let channel = makeChannel(multiplexer, mode) {
      channels.append(channel)
    }
    guard let first = channels.first else {
      loop.schedule(after: .zero, .work) { completion(.failure(.limitReached)) }
      return
    }
    let identifier = takeIdentifier()
    let opening = ChannelRequest.Opening(channels: channels, deadline: deadline, completion: completion)
    signaling.channelRequests[identifier] = ChannelRequest(
      kind: .open(opening), timer: guardOpening(identifier, until: min(deadline, loop.now + Self.responseTimeout)))
    let credits = UInt16(clamping: first.grantedCredits)
    let command: L2CAPSignalingCommand =
      switch mode {
      case .leCreditBased:
        .leCreditBasedConnectionRequest(
          .init(
            spsm: multiplexer, sourceCID: first.identifier, mtu: first.parameters.maximumTransmissionUnit,
            mps: first.parameters.maximumPayloadSize, initialCredits: credits))
      case .enhancedCreditBased:
        .creditBasedConnectionRequest(
          .init(
            spsm: multiplexer, mtu: first.parameters.maximumTransmissionUnit,
            mps: first.parameters.maximumPayloadSize, initialCredits: credits, sourceCIDs: channels.map(\.identifier)))
      }
    send(L2CAPSignalingPDU(identifier: identifier, command: command))
  }

  /// `nil` where this side keeps as many as it may.
  func makeChannel(_ multiplexer: ProtocolServiceMultiplexer, _ mode: L2CAPChannelMode) -> L2CAPChannel? {
    guard channels.count < Self.channelLimit else { return nil }
    return channels.insert { identifier in
      L2CAPChannel(
        multiplexer: multiplexer, identifier: identifier, mode: mode, parameters: channelParameters, link: self)
    }
  }

  // MARK: Answers

  func finish(_ response: L2CAPLECreditBasedConnectionResponse, identifier: UInt8) {
    guard let opening = opening(identifier, .leCreditBased), let channel = opening.channels.first else {
      return ignore("an unsolicited answer")
    }
    guard response.result == .successful else { return failOpening(identifier, .refused(response.result)) }
    takeChannelRequest(identifier)
    let peer = L2CAPChannelPeer(
      channel: response.destinationCID, mtu: response.mtu, mps: response.mps, credits: response.initialCredits)
    opening.completion(open(channel, with: peer) ? .success([channel]) : .failure(.malformedAnswer))
  }

  func finish(_ response: L2CAPCreditBasedConnectionResponse, identifier: UInt8) {
    guard let opening = opening(identifier, .enhancedCreditBased) else { return ignore("an unsolicited answer") }
    if response.result.isPending { return goOnWaiting(identifier, until: opening.deadline) }
    guard response.result.mayHoldChannels else { return failOpening(identifier, .refused(response.result)) }
    takeChannelRequest(identifier)
    var opened: [L2CAPChannel] = []
    var isMalformed = response.destinationCIDs.count != opening.channels.count
    for (index, channel) in opening.channels.enumerated() {
      let name = index < response.destinationCIDs.count ? response.destinationCIDs[index] : ChannelIdentifier(0)
      let peer = L2CAPChannelPeer(
        channel: name, mtu: response.mtu, mps: response.mps, credits: response.initialCredits)
      if name.rawValue == 0 {
        remove(channel)
      } else if open(channel, with: peer) {
        opened.append(channel)
      } else {
        isMalformed = true
      }
    }
    if !opened.isEmpty { return opening.completion(.success(opened)) }
    let isRefused = !isMalformed && response.result != .successful
    opening.completion(.failure(isRefused ? .refused(response.result) : .malformedAnswer))
  }

  /// A request about channels was rejected. False where it was none.
  func finishChannelRequest(_ identifier: UInt8, _ rejection: L2CAPCommandReject) -> Bool {
    guard let request = signaling.channelRequests[identifier] else { return false }
    switch request.kind {
    case .open: failOpening(identifier, .notUnderstood)
    case .close(let channel):
      // The peer knows no such channel: it is as closed as it can be.
      takeChannelRequest(identifier)
      remove(channel)
    }
    return true
  }

  /// Opens a channel that the peer granted. False, with the channel closed, where its answer says what no answer may.
  private func open(_ channel: L2CAPChannel, with peer: L2CAPChannelPeer) -> Bool {
    guard L2CAPLimits.dynamicChannels.contains(peer.channel.rawValue),
      !channels.contains(peerIdentifier: peer.channel)
    else {
      remove(channel)
      return false
    }
    channel.open(with: peer)
    if channel.mode.allows(mtu: peer.mtu, mps: peer.mps) { return true }
    channel.refuse("an MTU of \(peer.mtu) or an MPS of \(peer.mps)")
    return false
  }

  private func opening(_ identifier: UInt8, _ mode: L2CAPChannelMode) -> ChannelRequest.Opening? {
    guard case .open(let opening)? = signaling.channelRequests[identifier]?.kind,
      opening.channels.first?.mode == mode
    else { return nil }
    return opening
  }

  /// The peer asks for patience, because its user is asked or a pairing is under way: from the first time on it has what is left
  /// of the whole opening's time, and gains nothing by asking again.
  private func goOnWaiting(_ identifier: UInt8, until deadline: StackInstant) {
    guard let request = signaling.channelRequests[identifier] else { return }
    loop.cancel(request.timer)
    signaling.channelRequests[identifier]?.timer = guardOpening(identifier, until: deadline)
  }

  private func guardOpening(_ identifier: UInt8, until deadline: StackInstant) -> TimerToken {
    loop.schedule(after: max(.zero, deadline - loop.now), .background) { [weak self] in
      self?.failOpening(identifier, .timedOut)
    }
  }

  private func failOpening(_ identifier: UInt8, _ failure: L2CAPChannelFailure) {
    guard case .open(let opening)? = takeChannelRequest(identifier)?.kind else { return }
    for channel in opening.channels { remove(channel) }
    opening.completion(.failure(failure))
  }

  @discardableResult
  func takeChannelRequest(_ identifier: UInt8) -> ChannelRequest? {
    guard let request = signaling.channelRequests.removeValue(forKey: identifier) else { return nil }
    loop.cancel(request.timer)
    return request
  }
}

extension L2CAPConnectionResult {
  fileprivate var isPending: Bool {
    switch self {
    case .pendingNoFurtherInformation, .pendingAuthentication, .pendingAuthorization: true
    default: false
    }
  }

  /// Results with which some of the channels of a request may have been opened; with all others none was.
  fileprivate var mayHoldChannels: Bool {
    switch self {
    case .successful, .noResources, .invalidSourceCID, .sourceCIDAlreadyAllocated: true
    default: false
    }
  }
}
