import BLECore
import BLEWire

/// An indication that waits for its turn or for its confirmation.
struct ATTPendingIndication {
  let handle: AttributeHandle
  let pdu: ByteWriter
  /// Called with true when it is confirmed, with false if it is withdrawn or the bearer ends before.
  let completion: ((Bool) -> Void)?
}

extension ATTBearer {
  /// Answers the open request. Does nothing if there is none, or if `response` is of another type.
  public func respond<Response: ATTPacket>(_ response: Response, capacity: Int = 32) {
    guard isOpen, let request = openRequest, Response.opcode == request.answer else { return }
    openRequest = nil
    send(response, capacity: capacity)
  }

  /// Sends an error response to the open request. Does nothing if there is none.
  public func refuse(_ code: ATTErrorCode, at handle: AttributeHandle) {
    guard isOpen, let request = openRequest else { return }
    openRequest = nil
    refuse(request, code, at: handle)
  }

  /// Sends a notification; a value longer than the MTU allows is truncated. `sent`: as in `L2CAPCarrier`; called immediately if the
  /// bearer is closed.
  public func notify(_ handle: AttributeHandle, _ value: ArraySlice<UInt8>, sent: (() -> Void)? = nil) {
    let cut = value.prefix(mtu - 3)
    send(
      value: ATTHandleValueNotification(attributeHandle: handle, attributeValue: cut), capacity: cut.count + 3,
      sent: sent)
  }

  /// Sends several values in one PDU. The caller ensures that they fit into the MTU.
  public func notify(_ tuples: [ATTMultipleHandleValueNotification.HandleValueTuple], sent: (() -> Void)? = nil) {
    send(value: ATTMultipleHandleValueNotification(tuples), capacity: mtu, sent: sent)
  }

  /// Sends an indication once those before it are confirmed; a value longer than the MTU allows is truncated.
  ///
  /// - Parameter completion: called with true when it is confirmed, with false if it is withdrawn or the bearer ends before.
  public func indicate(
    _ handle: AttributeHandle, _ value: ArraySlice<UInt8>, _ completion: ((Bool) -> Void)? = nil
  ) {
    guard isOpen else {
      completion?(false)
      return
    }
    var writer = writer(capacity: value.count + 3)
    ATTHandleValueIndication(attributeHandle: handle, attributeValue: value.prefix(mtu - 3)).encodePDU(into: &writer)
    let isIdle = indications.isEmpty
    indications.append(ATTPendingIndication(handle: handle, pdu: writer, completion: completion))
    if isIdle { sendNextIndication() }
  }

  /// Withdraws the indications of these attributes that are not sent yet.
  public func withdrawIndications(of handles: ClosedRange<AttributeHandle>) {
    guard !indications.isEmpty else { return }
    // The first is on its way, unless this is called while the one before it is being completed.
    var isSent = indicationDeadline != .distantFuture
    var withdrawn: [ATTPendingIndication] = []
    for indication in indications.takeAll() {
      if isSent || !handles.contains(indication.handle) {
        indications.append(indication)
      } else {
        withdrawn.append(indication)
      }
      isSent = false
    }
    for indication in withdrawn { indication.completion?(false) }
  }

  func answer(_ request: ATTExchangeMTURequest) {
    guard openRequest == nil else {
      dropped.overlappingRequests += 1
      return
    }
    send(ATTExchangeMTUResponse(serverRxMTU: UInt16(clamping: receiveMTU)))
    // The old MTU applies to the response, the new one to everything after it.
    agree(onPeerMTU: request.clientRxMTU)
  }

  func refuse(_ request: ATTOpcode, _ code: ATTErrorCode, at handle: AttributeHandle = AttributeHandle(0)) {
    send(
      ATTErrorResponse(requestOpcodeInError: request, attributeHandleInError: handle, errorCode: code))
  }

  func receiveConfirmation() {
    guard let confirmed = indications.popFirst() else {
      dropped.unsolicitedConfirmations += 1
      return
    }
    indicationDeadline = .distantFuture
    confirmed.completion?(true)
    if indicationDeadline == .distantFuture { sendNextIndication() }
  }

  private func sendNextIndication() {
    guard isOpen, let next = indications.first else { return }
    indicationDeadline = loop.now + Self.transactionTimeout
    armTimer(by: indicationDeadline)
    channel?.send(next.pdu, sent: nil)
  }
}
