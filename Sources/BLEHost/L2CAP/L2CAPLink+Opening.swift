import BLECore
import BLEWire

/// A request to open or close channels that waits for its response.
struct ChannelRequest {
  enum Kind {
    case open(Opening)
    case close(L2CAPChannel)
  }

  /// Channels requested from the peer.
  struct Opening {
    let channels: [L2CAPChannel]
    /// When the peer must have accepted or refused, however many pending results it sends.
    let deadline: StackInstant
    let completion: L2CAPLink.OpenCompletion
  }

  let kind: Kind
  var timer: TimerToken
}

extension L2CAPLink {
  /// Called with the opened channels, at least one, or the reason that there is none. Never called inside the opening call.
  public typealias OpenCompletion = (Result<[L2CAPChannel], L2CAPChannelFailure>) -> Void

  /// Opens a channel: an enhanced one where the peer supports them, else an ordinary one.
  ///
  /// An LE link has no way to ask whether the peer supports enhanced channels. So an enhanced one is requested first; if the peer
  /// rejects the command as not understood, or has no such PSM in that mode, an ordinary one is requested.
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

  /// Requests up to five channels in enhanced mode with one request, or one channel in the other mode.
  public func openChannels(
    _ count: Int, to multiplexer: ProtocolServiceMultiplexer, mode: L2CAPChannelMode,
    _ completion: @escaping OpenCompletion
  ) {
    openChannels(count, to: multiplexer, mode: mode, until: loop.now + Self.openingLimit, completion)
  }

  private func openChannels(
    _ count: Int, to multiplexer: ProtocolServiceMultiplexer, mode: L2CAPChannelMode, until deadline: StackInstant,
    _ completion: @escaping OpenCompletion
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

  /// Returns a new channel; `nil` at the limit of channels.
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
      return ignore("an unsolicited response")
    }
    guard response.result == .successful else { return failOpening(identifier, .refused(response.result)) }
    takeChannelRequest(identifier)
    let peer = L2CAPChannelPeer(
      channel: response.destinationCID, mtu: response.mtu, mps: response.mps, credits: response.initialCredits)
    opening.completion(open(channel, with: peer) ? .success([channel]) : .failure(.malformedAnswer))
  }

  func finish(_ response: L2CAPCreditBasedConnectionResponse, identifier: UInt8) {
    guard let opening = opening(identifier, .enhancedCreditBased) else { return ignore("an unsolicited response") }
    if response.result.isPending { return extendWait(identifier, until: opening.deadline) }
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

  /// Ends a channel request that the peer rejected. Returns false if the identifier is not of a channel request.
  func finishChannelRequest(_ identifier: UInt8, _ rejection: L2CAPCommandReject) -> Bool {
    guard let request = signaling.channelRequests[identifier] else { return false }
    switch request.kind {
    case .open: failOpening(identifier, .notUnderstood)
    case .close(let channel):
      // The peer has no such channel, so it is closed.
      takeChannelRequest(identifier)
      remove(channel)
    }
    return true
  }

  /// Opens a channel that the peer accepted. Returns false, with the channel closed, if the response is invalid.
  private func open(_ channel: L2CAPChannel, with peer: L2CAPChannelPeer) -> Bool {
    guard L2CAPLimits.dynamicChannels.contains(peer.channel.rawValue),
      !channels.contains(peerIdentifier: peer.channel)
    else {
      remove(channel)
      return false
    }
    channel.open(with: peer)
    if channel.mode.allows(mtu: peer.mtu, mps: peer.mps) { return true }
    channel.closeAfterViolation("an MTU of \(peer.mtu) or an MPS of \(peer.mps)")
    return false
  }

  private func opening(_ identifier: UInt8, _ mode: L2CAPChannelMode) -> ChannelRequest.Opening? {
    guard case .open(let opening)? = signaling.channelRequests[identifier]?.kind,
      opening.channels.first?.mode == mode
    else { return nil }
    return opening
  }

  /// The peer sent a pending result, because its user is asked or a pairing is in progress: it now has the remaining time of the
  /// whole opening; further pending results do not extend that.
  private func extendWait(_ identifier: UInt8, until deadline: StackInstant) {
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

  /// Whether some channels of a request may have been opened with this result; with all others none was.
  fileprivate var mayHoldChannels: Bool {
    switch self {
    case .successful, .noResources, .invalidSourceCID, .sourceCIDAlreadyAllocated: true
    default: false
    }
  }
}
