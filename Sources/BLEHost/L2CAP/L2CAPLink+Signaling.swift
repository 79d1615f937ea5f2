import BLECore
import BLEWire

/// The state of the signaling channel.
struct SignalingState {
  var nextIdentifier: UInt8 = 1
  var parameterUpdate: ParameterUpdate?
  /// Channel requests that wait for their responses, by identifier.
  var channelRequests: [UInt8: ChannelRequest] = [:]
  /// The peer has rejected a request for enhanced channels as not understood.
  var peerLacksEnhancedChannels = false

  /// A parameter update request of this side that waits for its response.
  struct ParameterUpdate {
    let identifier: UInt8
    let timer: TimerToken
    let completion: (Result<Void, EndReason>) -> Void
  }
}

extension L2CAPLink {
  /// How long the response to a request of this side may take (the RTX timer, Core, Vol 3 Part A 6.2.1).
  static let responseTimeout = StackDuration.seconds(30)
  /// How long opening a channel may take in all if the peer sends pending results: the longest ERTX timer that the
  /// specification allows (Core, Vol 3 Part A 6.2.2), for all requests of one opening together.
  static let openingLimit = StackDuration.seconds(300)

  /// Requests other connection parameters from the central, as a peripheral. The completion is not called after the link is
  /// closed.
  ///
  /// - Parameter completion: fails with `.refused` (with the result, or 0xFF if the command was rejected), `.timedOut`, or
  ///   `.requested` if a newer request replaced this one.
  public func requestConnectionParameters(
    _ parameters: L2CAPConnectionParameterUpdateRequest, _ completion: @escaping (Result<Void, EndReason>) -> Void
  ) {
    finishParameterUpdate(.failure(.requested))
    let identifier = takeIdentifier()
    let timer = loop.schedule(after: Self.responseTimeout, .background) { [self] in
      finishParameterUpdate(.failure(.timedOut))
    }
    signaling.parameterUpdate = .init(identifier: identifier, timer: timer, completion: completion)
    send(L2CAPSignalingPDU(identifier: identifier, command: .connectionParameterUpdateRequest(parameters)))
  }

  func receiveSignaling(_ payload: ArraySlice<UInt8>) {
    var reader = ByteReader(payload, layer: "L2CAP signaling")
    guard let header = try? L2CAPSignalingHeader(from: &reader), header.identifier != 0 else {
      ignore("a command without a valid identifier")
      return
    }
    if header.code.isRequest, queuedFrames > Self.answerLimit {
      statistics.unansweredCommands += 1
      return
    }
    var whole = ByteReader(payload, layer: "L2CAP signaling")
    do {
      let pdu = try L2CAPSignalingPDU(from: &whole)
      // An LE frame holds exactly one command (Core, Vol 3 Part A 4).
      try whole.finish()
      handle(pdu)
    } catch {
      log.log(.debug, "\(error)")
      if answerMalformed(header) { return }
      if header.code.isRequest {
        reject(header.identifier, L2CAPCommandReject(reason: .commandNotUnderstood))
      } else {
        ignore("a malformed \(header.code)")
      }
    }
  }

  /// Rejects a command longer than the signaling MTU, with that MTU (Core, Vol 3 Part A 4.1).
  func rejectOversizedCommand(_ start: ArraySlice<UInt8>) {
    var reader = ByteReader(start, layer: "L2CAP signaling")
    guard let header = try? L2CAPSignalingHeader(from: &reader), header.identifier != 0, header.code.isRequest else {
      ignore("a command longer than the signaling MTU")
      return
    }
    let mtu: ArraySlice<UInt8> = [UInt8(Self.signalingMTU), 0]
    reject(header.identifier, L2CAPCommandReject(reason: .signalingMTUExceeded, reasonData: mtu))
  }

  private func handle(_ pdu: L2CAPSignalingPDU) {
    switch pdu.command {
    case .connectionParameterUpdateRequest(let request): answer(request, identifier: pdu.identifier)
    case .connectionParameterUpdateResponse(let response):
      guard signaling.parameterUpdate?.identifier == pdu.identifier else { return ignore("an unsolicited response") }
      let isAccepted = response.result == .accepted
      finishParameterUpdate(
        isAccepted ? .success(()) : .failure(.refused(code: UInt8(truncatingIfNeeded: response.result.rawValue))))
    case .commandReject(let rejection):
      if finishChannelRequest(pdu.identifier, rejection) { return }
      guard signaling.parameterUpdate?.identifier == pdu.identifier else { return ignore("an unsolicited rejection") }
      finishParameterUpdate(.failure(.refused(code: 0xFF)))
    case .disconnectionRequest(let request): answer(request, identifier: pdu.identifier)
    case .disconnectionResponse(let response): finish(response, identifier: pdu.identifier)
    case .flowControlCredit(let grant): receive(grant)
    case .leCreditBasedConnectionRequest(let request): answer(request, identifier: pdu.identifier)
    case .leCreditBasedConnectionResponse(let response): finish(response, identifier: pdu.identifier)
    case .creditBasedConnectionRequest(let request): answer(request, identifier: pdu.identifier)
    case .creditBasedConnectionResponse(let response): finish(response, identifier: pdu.identifier)
    case .creditBasedReconfigureRequest(let request): answer(request, identifier: pdu.identifier)
    default:
      if pdu.command.code.isRequest {
        reject(pdu.identifier, L2CAPCommandReject(reason: .commandNotUnderstood))
      } else {
        ignore("an unsolicited \(pdu.command.code)")
      }
    }
  }

  private func answer(_ request: L2CAPConnectionParameterUpdateRequest, identifier: UInt8) {
    guard role == .central else {
      // Only a peripheral sends this request, to a central (Core, Vol 3 Part A 4.20).
      reject(identifier, L2CAPCommandReject(reason: .commandNotUnderstood))
      return
    }
    let isAccepted = request.isAcceptable && owner?.link(self, acceptsConnectionParameters: request) == true
    let response = L2CAPConnectionParameterUpdateResponse(result: isAccepted ? .accepted : .rejected)
    send(L2CAPSignalingPDU(identifier: identifier, command: .connectionParameterUpdateResponse(response)))
  }

  private func finishParameterUpdate(_ result: Result<Void, EndReason>) {
    guard let pending = signaling.parameterUpdate else { return }
    signaling.parameterUpdate = nil
    loop.cancel(pending.timer)
    pending.completion(result)
  }

  func forgetParameterUpdate() {
    if let pending = signaling.parameterUpdate { loop.cancel(pending.timer) }
    signaling.parameterUpdate = nil
  }

  /// Returns an identifier that no pending request of this side uses. There are more identifiers than pending requests.
  func takeIdentifier() -> UInt8 {
    var identifier: UInt8
    repeat {
      identifier = signaling.nextIdentifier
      signaling.nextIdentifier = identifier == .max ? 1 : identifier + 1
    } while signaling.channelRequests[identifier] != nil || signaling.parameterUpdate?.identifier == identifier
    return identifier
  }

  func reject(_ identifier: UInt8, _ rejection: L2CAPCommandReject) {
    statistics.rejectedCommands += 1
    send(L2CAPSignalingPDU(identifier: identifier, command: .commandReject(rejection)))
  }

  func ignore(_ what: String) {
    statistics.ignoredCommands += 1
    log.log(.debug, "ignored \(what)")
  }

  func send(_ pdu: L2CAPSignalingPDU) {
    var writer = ByteWriter(headroom: Self.payloadHeadroom)
    pdu.encode(into: &writer)
    send(writer, on: .lowEnergySignaling)
  }
}

extension L2CAPSignalingCode {
  /// Whether a command of this code expects an answer. An unknown code does: it is rejected. Responses, and above all
  /// rejections, are never answered.
  var isRequest: Bool {
    switch self {
    case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse, .leCreditBasedConnectionResponse,
      .flowControlCredit, .creditBasedConnectionResponse, .creditBasedReconfigureResponse:
      false
    default: true
    }
  }
}
