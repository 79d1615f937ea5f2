import BLECore
import BLEWire

/// A request that waits for its response, or before that for its turn.
struct ATTSentRequest {
  /// Called with the parameters of the response.
  typealias Completion = (Result<ArraySlice<UInt8>, ATTFailure>) -> Void

  let opcode: ATTOpcode
  let completion: Completion
}

extension ATTBearer {
  /// Neither confirms nor delivers indications before `releaseIndications()`: the sender has not proved its identity, and a confirmed
  /// indication would be lost to applications, which receive values only from a peer that has.
  func holdIndications() { holdsIndications = true }

  /// Delivers the held indication and those that follow: the peer has proved its identity.
  func releaseIndications() {
    holdsIndications = false
    guard let (handle, value) = heldIndication else { return }
    heldIndication = nil
    if isOpen { take(value[...], of: handle) }
  }

  func receive(_ indication: ATTHandleValueIndication) {
    if !holdsIndications { return take(indication.attributeValue, of: indication.attributeHandle) }
    // A server sends the next one only after the confirmation of this one (Core, Vol 3 Part F 3.4.7.2).
    if heldIndication == nil {
      heldIndication = (indication.attributeHandle, Array(indication.attributeValue))
    } else {
      dropped.unanswered += 1
    }
  }

  /// Confirms an indication only if it was delivered. Without a confirmation the sender's transaction times out
  /// (Core, Vol 3 Part F 3.3.3).
  private func take(_ value: ArraySlice<UInt8>, of handle: AttributeHandle) {
    let isTaken = client?.bearer(self, didReceive: value, of: handle)
    if isTaken ?? true { send(ATTHandleValueConfirmation()) } else { dropped.unconfirmed += 1 }
  }

  /// Sends a request once those before it are answered. The completion is called once, and inside this call only if the bearer
  /// is closed.
  public func request<Request: ATTPacket, Response: ATTPacket>(
    _ request: Request, expecting: Response.Type,
    _ completion: @escaping (Result<Response, ATTFailure>) -> Void
  ) {
    self.request(request) { result in
      switch result {
      case .failure(let failure): completion(.failure(failure))
      case .success(let parameters):
        do throws(DecodeError) {
          var reader = ByteReader(parameters, layer: "ATT")
          let response = try Response(from: &reader)
          try reader.finish()
          completion(.success(response))
        } catch {
          completion(.failure(.malformed(error)))
        }
      }
    }
  }

  /// As the other, for responses whose parameters are one value: it is not decoded, which takes fewer objects.
  func request<Request: ATTPacket>(_ request: Request, _ completion: @escaping ATTSentRequest.Completion) {
    guard isOpen else { return completion(.failure(.closed)) }
    var writer = writer(capacity: 40)
    request.encodePDU(into: &writer)
    let made = ATTSentRequest(opcode: Request.opcode, completion: completion)
    if sentRequest == nil, waitingRequests.isEmpty {
      send(made, consume writer)
    } else {
      waitingRequests.append((made, consume writer))
    }
  }

  private func send(_ request: ATTSentRequest, _ pdu: consuming ByteWriter) {
    sentRequest = request
    requestDeadline = loop.now + Self.transactionTimeout
    requestsSent += 1
    var values = valuesSent
    values.requestWasSent()
    valuesSent = values
    armTimer(by: requestDeadline)
    channel?.send(pdu, sent: nil)
  }

  /// Takes the request that was sent: it is answered, or fails.
  func takeSentRequest() -> ATTSentRequest? {
    let taken = sentRequest
    sentRequest = nil
    requestDeadline = .distantFuture
    return taken
  }

  /// Exchanges the MTU: once on a bearer, by the client (Core, Vol 3 Part F 3.4.2). The completion receives the agreed MTU.
  public func exchangeMTU(_ completion: @escaping (Result<Int, ATTFailure>) -> Void) {
    request(
      ATTExchangeMTURequest(clientRxMTU: UInt16(clamping: receiveMTU)), expecting: ATTExchangeMTUResponse.self
    ) { [self] result in
      completion(
        result.map { response in
          agree(onPeerMTU: response.serverRxMTU)
          return mtu
        })
    }
  }

  /// Sends a command without waiting for other transactions. `sent`: as in `L2CAPCarrier`; called immediately if the bearer is
  /// closed.
  public func send(command: ATTWriteCommand, sent: (() -> Void)?) {
    send(value: command, capacity: command.attributeValue.count + 3, sent: sent)
  }

  /// Sends a signed command without waiting for other transactions. `sent`: as in `send(command:sent:)`.
  public func send(command: ATTSignedWriteCommand, sent: (() -> Void)? = nil) {
    send(value: command, capacity: command.attributeValue.count + 15, sent: sent)
  }

  /// Sends a request that every server answers without requiring security. `completion` is called with the response, which shows that
  /// the peer has processed everything sent before, or when there will be none.
  public func awaitAnswer(_ completion: @escaping () -> Void) {
    request(
      ATTFindInformationRequest(startingHandle: .first, endingHandle: .first),
      expecting: ATTFindInformationResponse.self
    ) { _ in completion() }
  }

  func receiveResponse(_ opcode: ATTOpcode, _ payload: ArraySlice<UInt8>) {
    let parameters = payload.dropFirst()
    guard let request = sentRequest?.opcode else { return dropUnsolicited(opcode) }
    if opcode == .errorResponse {
      var reader = ByteReader(parameters, layer: "ATT")
      guard let error = try? ATTErrorResponse(from: &reader), reader.isAtEnd else {
        dropped.malformed += 1
        return
      }
      guard error.requestOpcodeInError == request else { return dropUnsolicited(opcode) }
      finishRequest(.failure(.refused(error.errorCode, error.attributeHandleInError)))
      return
    }
    guard opcode == request.answer else { return dropUnsolicited(opcode) }
    finishRequest(.success(parameters))
  }

  private func finishRequest(_ result: Result<ArraySlice<UInt8>, ATTFailure>) {
    guard let answered = takeSentRequest() else { return }
    var values = valuesSent
    values.requestWasAnswered()
    valuesSent = values
    if !values.awaitsAnswer, let completion = processingCompletion {
      processingCompletion = nil
      completion()
    }
    // The completion may already have sent the next request.
    answered.completion(result)
    guard isOpen, sentRequest == nil, let (next, pdu) = waitingRequests.popFirst() else { return }
    send(next, consume pdu)
  }

  private func dropUnsolicited(_ opcode: ATTOpcode) {
    dropped.unsolicitedResponses += 1
    log.log(.debug, "dropped \(opcode), which answers no request")
  }
}

// MARK: Time-outs

/// One timer for the transactions of both directions. It is armed by the first transaction and rescheduled only when it fires,
/// so a transaction that is answered in time costs no timer.
extension ATTBearer: TimerTarget {
  func armTimer(by deadline: StackInstant) {
    if isTimerArmed { return }
    isTimerArmed = true
    timer = loop.schedule(at: deadline, .background, self, tag: 0)
  }

  public func timerFired(tag: Int) {
    isTimerArmed = false
    let deadline = min(requestDeadline, indicationDeadline)
    if deadline == .distantFuture { return }
    if loop.now < deadline { return armTimer(by: deadline) }
    log.log(.warning, "the peer did not answer within \(Self.transactionTimeout): the bearer is closed")
    close(failing: .timedOut)
    owner?.bearerDidTimeOut(self)
  }
}
