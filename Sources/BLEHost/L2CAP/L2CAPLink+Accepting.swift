import BLECore
import BLEWire

// Channel requests of the peer. Each invalid form has its own result code (Core, Vol 3 Part A 4.22 to 4.28).

extension L2CAPLink {
  func answer(_ request: L2CAPLECreditBasedConnectionRequest, identifier: UInt8) {
    let channel: L2CAPChannel?
    let response: L2CAPLECreditBasedConnectionResponse
    if let refusal = refusal(of: request) {
      channel = nil
      response = .init(refusing: refusal)
    } else if let opened = makeChannel(request.spsm, .leCreditBased) {
      opened.open(
        with: L2CAPChannelPeer(
          channel: request.sourceCID, mtu: request.mtu, mps: request.mps, credits: request.initialCredits))
      channel = opened
      response = .init(
        destinationCID: opened.identifier, mtu: opened.parameters.maximumTransmissionUnit,
        mps: opened.parameters.maximumPayloadSize, initialCredits: UInt16(clamping: opened.grantedCredits),
        result: .successful)
    } else {
      channel = nil
      response = .init(refusing: .noResources)
    }
    send(L2CAPSignalingPDU(identifier: identifier, command: .leCreditBasedConnectionResponse(response)))
    if let channel { announce(channel) }
  }

  private func refusal(of request: L2CAPLECreditBasedConnectionRequest) -> L2CAPConnectionResult? {
    if let refusal = refusal(of: request.spsm) { return refusal }
    if let refusal = refusal(ofSource: request.sourceCID) { return refusal }
    return L2CAPChannelMode.leCreditBased.allows(mtu: request.mtu, mps: request.mps) ? nil : .unacceptableParameters
  }

  private func refusal(of multiplexer: ProtocolServiceMultiplexer) -> L2CAPConnectionResult? {
    guard multiplexer.isValidOnLowEnergy, let owner else { return .spsmNotSupported }
    return owner.link(self, refusalOf: multiplexer)
  }

  private func refusal(ofSource identifier: ChannelIdentifier) -> L2CAPConnectionResult? {
    guard L2CAPLimits.dynamicChannels.contains(identifier.rawValue) else { return .invalidSourceCID }
    return channels.contains(peerIdentifier: identifier) ? .sourceCIDAlreadyAllocated : nil
  }

  private func announce(_ channel: L2CAPChannel) {
    owner?.link(self, didOpen: channel)
    if channel.events == nil { channel.close() }
  }

  // MARK: Enhanced

  func answer(_ request: L2CAPCreditBasedConnectionRequest, identifier: UInt8) {
    guard usesEnhancedChannels else {
      return reject(identifier, L2CAPCommandReject(reason: .commandNotUnderstood))
    }
    if let refusal = refusal(of: request) {
      return refuse(identifier, refusal, channelCount: request.sourceCIDs.count)
    }
    var result = L2CAPConnectionResult.successful
    var opened: [L2CAPChannel] = []
    var names: [ChannelIdentifier] = []
    for source in request.sourceCIDs {
      let refusal = refusal(ofSource: source)
      if refusal == nil, let channel = makeChannel(request.spsm, .enhancedCreditBased) {
        channel.open(
          with: L2CAPChannelPeer(
            channel: source, mtu: request.mtu, mps: request.mps, credits: request.initialCredits))
        opened.append(channel)
        names.append(channel.identifier)
      } else {
        if result == .successful { result = refusal ?? .noResources }
        names.append(ChannelIdentifier(0))
      }
    }
    guard let first = opened.first else { return refuse(identifier, result, channelCount: names.count) }
    let response = L2CAPCreditBasedConnectionResponse(
      mtu: first.parameters.maximumTransmissionUnit, mps: first.parameters.maximumPayloadSize,
      initialCredits: UInt16(clamping: first.grantedCredits), result: result, destinationCIDs: names)
    send(L2CAPSignalingPDU(identifier: identifier, command: .creditBasedConnectionResponse(response)))
    for channel in opened { announce(channel) }
  }

  private func refusal(of request: L2CAPCreditBasedConnectionRequest) -> L2CAPConnectionResult? {
    guard (1...L2CAPLimits.maximumChannelsPerRequest).contains(request.sourceCIDs.count) else {
      return .invalidParameters
    }
    if let refusal = refusal(of: request.spsm) { return refusal }
    // Unlike the other mode, this one requires initial credits.
    let isAllowed = L2CAPChannelMode.enhancedCreditBased.allows(mtu: request.mtu, mps: request.mps)
    return isAllowed && request.initialCredits > 0 ? nil : .unacceptableParameters
  }

  /// Refuses all channels: every field but the result is zero, with one identifier for each requested channel.
  private func refuse(_ identifier: UInt8, _ result: L2CAPConnectionResult, channelCount: Int) {
    let names = [ChannelIdentifier](
      repeating: ChannelIdentifier(0), count: min(channelCount, L2CAPLimits.maximumChannelsPerRequest))
    let response = L2CAPCreditBasedConnectionResponse(
      mtu: 0, mps: 0, initialCredits: 0, result: result, destinationCIDs: names)
    send(L2CAPSignalingPDU(identifier: identifier, command: .creditBasedConnectionResponse(response)))
  }

  func answer(_ request: L2CAPCreditBasedReconfigureRequest, identifier: UInt8) {
    guard usesEnhancedChannels else {
      return reject(identifier, L2CAPCommandReject(reason: .commandNotUnderstood))
    }
    let changed = request.destinationCIDs.compactMap { name in
      channels.channel(peerIdentifier: name).flatMap { $0.mode == .enhancedCreditBased && $0.isInUse ? $0 : nil }
    }
    let result = result(of: request, on: changed)
    if result == .successful {
      for channel in changed {
        channel.peer.mtu = request.mtu
        channel.peer.mps = request.mps
      }
    }
    respond(to: identifier, result)
  }

  private func result(
    of request: L2CAPCreditBasedReconfigureRequest, on changed: [L2CAPChannel]
  ) -> L2CAPCreditBasedReconfigureResponse.Result {
    let names = request.destinationCIDs
    guard (1...L2CAPLimits.maximumChannelsPerRequest).contains(names.count), Set(names).count == names.count,
      L2CAPChannelMode.enhancedCreditBased.allows(mtu: request.mtu, mps: request.mps)
    else { return .unacceptableParameters }
    if changed.count != names.count { return .invalidDestinationCID }
    if changed.contains(where: { request.mtu < $0.peer.mtu }) { return .reductionOfMTU }
    if changed.count > 1, changed.contains(where: { request.mps < $0.peer.mps }) { return .reductionOfMPS }
    return .successful
  }

  private func respond(to identifier: UInt8, _ result: L2CAPCreditBasedReconfigureResponse.Result) {
    send(
      L2CAPSignalingPDU(
        identifier: identifier, command: .creditBasedReconfigureResponse(.init(result: result))))
  }

  /// Answers a request of a wrong length for which a result code exists. Returns false for all other commands.
  func answerMalformed(_ header: L2CAPSignalingHeader) -> Bool {
    guard usesEnhancedChannels else { return false }
    switch header.code {
    case .creditBasedConnectionRequest: refuse(header.identifier, .invalidParameters, channelCount: 0)
    case .creditBasedReconfigureRequest: respond(to: header.identifier, .unacceptableParameters)
    default: return false
    }
    return true
  }
}
