import BLECore
import BLEWire

/// A request that waits for its turn or for its response.
struct ATTPendingRequest {
  let opcode: ATTOpcode
  let pdu: ByteWriter
  /// Gets the response's parameters.
  let completion: (Result<ArraySlice<UInt8>, ATTFailure>) -> Void
  func fail(_ failure: ATTFailure) { completion(.failure(failure)) }
}

/// Requests in the order in which they were made. The first is on its way.
struct ATTRequestQueue {
  private var waiting: [ATTPendingRequest] = []
  /// When the first has to be answered.
  var deadline = StackInstant.distantFuture

  var first: ATTPendingRequest? { waiting.first }
  var isEmpty: Bool { waiting.isEmpty }
  mutating func append(_ request: ATTPendingRequest) { waiting.append(request) }
  mutating func removeFirst() -> ATTPendingRequest? { waiting.isEmpty ? nil : waiting.removeFirst() }
  mutating func removeAll() -> [ATTPendingRequest] {
    defer { waiting = [] }
    return waiting
  }
}

extension ATTBearer {
  /// Indications are neither confirmed nor told to anybody before `releaseIndications()`: who sends them has not proved who it is, and
  /// what is confirmed would be lost to programs, which hear only of a peer that has.
  func holdIndications() { holdsIndications = true }

  /// The peer has proved who it is.
  func releaseIndications() {
    holdsIndications = false
    guard let (handle, value) = heldIndication else { return }
    heldIndication = nil
    if isOpen { take(value[...], of: handle) }
  }

  func receive(_ indication: ATTHandleValueIndication) {
    if !holdsIndications { return take(indication.attributeValue, of: indication.attributeHandle) }
    // A server sends the next one when this one was confirmed (Core, Vol 3 Part F 3.4.7.2).
    if heldIndication == nil {
      heldIndication = (indication.attributeHandle, Array(indication.attributeValue))
    } else {
      statistics.unanswered += 1
    }
  }

  /// What is confirmed has arrived. Without a confirmation the sender gives the link up in time (Core, Vol 3 Part F 3.3.3).
  private func take(_ value: ArraySlice<UInt8>, of handle: AttributeHandle) {
    let isTaken = client?.bearer(self, didReceive: value, of: handle)
    if isTaken ?? true { send(ATTHandleValueConfirmation()) } else { statistics.unconfirmed += 1 }
  }

  /// Sends a request as soon as those before it are answered. The completion is called once, never inside this call unless
  /// the bearer is closed.
  public func request<Request: ATTPacket, Response: ATTPacket>(
    _ request: Request, expecting: Response.Type,
    _ completion: @escaping (Result<Response, ATTFailure>) -> Void
  ) {
    guard isOpen else { return completion(.failure(.closed)) }
    var writer = writer(capacity: 40)
    request.encodePDU(into: &writer)
    let pending = ATTPendingRequest(opcode: Request.opcode, pdu: writer) { result in
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
    let isIdle = requests.isEmpty
    requests.append(pending)
    if isIdle { sendNextRequest() }
  }

  /// Exchanges the MTU: once on a bearer, by the client (Core, Vol 3 Part F 3.4.2). The completion gets the MTU that holds.
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

  /// Sends a command at once. `sent`: as in `L2CAPCarrier`; at once where the bearer is closed.
  public func send(command: ATTWriteCommand, sent: (() -> Void)?) {
    guard isOpen else {
      sent?()
      return
    }
    valuesSent.valueWasSent()
    send(command, capacity: command.attributeValue.count + 3, sent: sent)
  }

  /// Sends a signed command at once. `sent`: as in `L2CAPCarrier`; at once where the bearer is closed.
  public func send(command: ATTSignedWriteCommand, sent: (() -> Void)? = nil) {
    guard isOpen else {
      sent?()
      return
    }
    valuesSent.valueWasSent()
    send(command, capacity: command.attributeValue.count + 15, sent: sent)
  }

  /// Asks for something that every server answers without asking for protection. `completion` is called when the answer is here,
  /// or none will come: then the peer has taken what was sent before.
  public func awaitAnswer(_ completion: @escaping () -> Void) {
    request(
      ATTFindInformationRequest(startingHandle: .first, endingHandle: .first),
      expecting: ATTFindInformationResponse.self
    ) { _ in completion() }
  }

  func receiveResponse(_ opcode: ATTOpcode, _ payload: ArraySlice<UInt8>) {
    let parameters = payload.dropFirst()
    guard let waiting = requests.first else { return dropUnsolicited(opcode) }
    if opcode == .errorResponse {
      var reader = ByteReader(parameters, layer: "ATT")
      guard let error = try? ATTErrorResponse(from: &reader), reader.isAtEnd else {
        statistics.malformed += 1
        return
      }
      guard error.requestOpcodeInError == waiting.opcode else { return dropUnsolicited(opcode) }
      finishRequest(.failure(.refused(error.errorCode, error.attributeHandleInError)))
      return
    }
    guard opcode == waiting.opcode.answer else { return dropUnsolicited(opcode) }
    finishRequest(.success(parameters))
  }

  private func finishRequest(_ result: Result<ArraySlice<UInt8>, ATTFailure>) {
    guard let answered = requests.removeFirst() else { return }
    requests.deadline = .distantFuture
    valuesSent.requestWasAnswered()
    // The next request is sent before the answer is worked on, unless that leads to a request itself.
    answered.completion(result)
    if requests.deadline == .distantFuture { sendNextRequest() }
  }

  private func sendNextRequest() {
    guard isOpen, let next = requests.first else { return }
    requests.deadline = loop.now + Self.transactionTimeout
    statistics.requestsSent += 1
    valuesSent.requestWasSent()
    armTimer(by: requests.deadline)
    channel?.send(next.pdu, sent: nil)
  }

  private func dropUnsolicited(_ opcode: ATTOpcode) {
    statistics.unsolicitedResponses += 1
    log.log(.debug, "dropped \(opcode), which answers no request")
  }
}

// MARK: Time-outs

/// One timer guards both directions. It is armed by the first transaction and moved on only when it fires, so that a
/// transaction that is answered in time costs no timer.
extension ATTBearer: TimerTarget {
  func armTimer(by deadline: StackInstant) {
    if isTimerArmed { return }
    isTimerArmed = true
    timer = loop.schedule(at: deadline, .background, self, tag: 0)
  }

  public func timerFired(tag: Int) {
    isTimerArmed = false
    let deadline = min(requests.deadline, indications.deadline)
    if deadline == .distantFuture { return }
    if loop.now < deadline { return armTimer(by: deadline) }
    log.log(.warning, "the peer did not answer within \(Self.transactionTimeout): the bearer is closed")
    close(failing: .timedOut)
    owner?.bearerDidTimeOut(self)
  }
}
