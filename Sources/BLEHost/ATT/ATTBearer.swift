import BLECore
import BLEWire

/// One bearer of the Attribute Protocol (Core, Vol 3 Part F 3.2.11): the sequential protocol in both directions, the MTU,
/// and the transaction time-out. Everything on the loop.
///
/// Both roles share it: requests of this side's client are queued here, requests of the peer's client are passed to `server` one
/// at a time.
public final class ATTBearer: L2CAPChannelReceiver {
  /// How long a response or a confirmation may take (Core, Vol 3 Part F 3.3.3).
  public static let transactionTimeout = StackDuration.seconds(30)

  /// The receive MTU that this side declares in an exchange, in octets.
  public let receiveMTU: Int
  /// The ATT MTU in octets.
  public var mtu: Int { agreedMTU }
  /// False once a transaction has timed out or the link has ended: nothing is sent after that.
  public var isOpen: Bool { !isClosed }
  public var statistics: ATTStatistics {
    var all = dropped
    all.requestsSent = requestsSent
    return all
  }

  /// Retained until the bearer closes, as is `server`.
  public var client: (any ATTClientHandler)? {
    get { valueReceiver }
    set { valueReceiver = newValue }
  }
  public var server: (any ATTServerHandler)?
  public weak var owner: (any ATTBearerOwner)?

  // Reached by this target only, because each value passes them: see `HCILink`.
  private var agreedMTU = ATTLimits.defaultMTU
  private var isClosed = false
  private var valueReceiver: (any ATTClientHandler)?
  var requestsSent = 0
  /// The request that was sent and not answered.
  var sentRequest: ATTSentRequest?
  /// When it must have been answered.
  var requestDeadline = StackInstant.distantFuture

  /// Without `requestsSent`.
  var dropped = ATTStatistics()
  let loop: any StackLoop
  let log: Logger
  /// `nil` once the bearer is closed.
  private(set) var channel: (any ATTChannel)?
  private let headroom: Int

  /// Requests that wait for their turn, in the order in which they were made.
  var waitingRequests = FIFO<(request: ATTSentRequest, pdu: ByteWriter)>()
  /// Indications in the order in which they were made. The first has been sent.
  var indications = FIFO<ATTPendingIndication>()
  /// When the first must have been confirmed.
  var indicationDeadline = StackInstant.distantFuture
  /// The opcode of the peer's request that this side has not answered.
  var openRequest: ATTOpcode?
  var timer = TimerToken()
  var isTimerArmed = false
  var valuesSent = ATTValuesSent()
  /// See `afterNextProcessing`.
  var processingCompletion: (() -> Void)?
  var holdsIndications = false
  /// The indication received while indications are held.
  var heldIndication: (handle: AttributeHandle, value: [UInt8])?

  /// - Parameter receiveMTU: 23 to 517.
  public init(
    loop: any StackLoop, channel: any ATTChannel, receiveMTU: Int = ATTLimits.fullValueMTU, log: Logger = .silent
  ) {
    self.loop = loop
    self.channel = channel
    headroom = channel.headroom
    self.receiveMTU = min(max(receiveMTU, ATTLimits.defaultMTU), ATTLimits.fullValueMTU)
    self.log = log
  }

  /// Closes the bearer: pending requests fail with `.closed`.
  public func close() { close(failing: .closed) }

  func close(failing failure: ATTFailure) {
    guard isOpen else { return }
    isClosed = true
    channel = nil
    valueReceiver = nil
    server = nil
    openRequest = nil
    heldIndication = nil
    processingCompletion = nil
    if isTimerArmed { loop.cancel(timer) }
    isTimerArmed = false
    let sent = takeSentRequest()
    let waiting = waitingRequests.takeAll()
    let unconfirmed = indications.takeAll()
    sent?.completion(.failure(failure))
    for (request, _) in waiting { request.completion(.failure(.closed)) }
    for indication in unconfirmed { indication.completion?(false) }
  }

  /// Sets the MTU that results from an exchange: the smaller of both sides' receive MTUs. It never decreases: an exchange happens
  /// once, and if both sides request one, the result is the same.
  func agree(onPeerMTU peerMTU: UInt16) {
    let agreed = min(receiveMTU, Int(peerMTU))
    guard agreed > mtu else { return }
    agreedMTU = agreed
    owner?.bearer(self, didUpdateMTU: agreed)
  }

  /// Sets an MTU that is known to be agreed, in octets: for bearers without an exchange.
  public func assumeMTU(_ octets: Int) { agree(onPeerMTU: UInt16(clamping: octets)) }

  /// Whether values were sent that the peer is not known to have processed.
  public var hasUnansweredValues: Bool { isOpen && (valuesSent.awaitsAnswer || !indications.isEmpty) }

  /// Calls `completion` once a request of this side is answered that was sent after all values so far; not if the link ends before.
  /// It sends nothing for it, and replaces an earlier completion.
  func afterNextProcessing(_ completion: @escaping () -> Void) { processingCompletion = completion }

  func writer(capacity: Int) -> ByteWriter { ByteWriter(headroom: headroom, capacity: capacity) }

  func send(_ packet: some ATTPacket, capacity: Int = 32, sent: (() -> Void)? = nil) {
    var writer = writer(capacity: capacity)
    packet.encodePDU(into: &writer)
    channel?.send(consume writer, sent: sent)
  }

  /// Sends a value that has no answer. `sent`: called immediately if the bearer is closed.
  func send(value packet: some ATTPacket, capacity: Int, sent: (() -> Void)?) {
    guard isOpen else {
      sent?()
      return
    }
    valuesSent.valueWasSent()
    send(packet, capacity: capacity, sent: sent)
  }

  // MARK: Receiving

  /// Receives one PDU from the peer.
  public func receive(_ payload: ArraySlice<UInt8>) {
    guard isOpen, let first = payload.first else { return }
    let opcode = ATTOpcode(first)
    if payload.count > mtu && opcode != .exchangeMTURequest && opcode != .exchangeMTUResponse {
      return receiveOversized(opcode, payload)
    }
    // Fast path for the most frequent PDUs.
    if opcode == .handleValueNotification { return receiveNotification(payload) }
    if opcode.role == .response { return receiveResponse(opcode, payload) }
    if isAnswered(opcode), channel?.isCongested == true {
      dropped.unanswered += 1
      return
    }
    do {
      if opcode.isFromServer {
        dispatch(try ATTServerPDU(payload))
      } else {
        dispatch(opcode, try ATTClientPDU(payload))
      }
    } catch {
      dropped.malformed += 1
      log.log(.debug, "\(error)")
      if isRequest(opcode) { refuse(opcode, .invalidPDU) }
    }
  }

  /// Truncates a response to the MTU: the rest of a value can still be read. Refuses a request, and drops anything else.
  private func receiveOversized(_ opcode: ATTOpcode, _ payload: ArraySlice<UInt8>) {
    dropped.oversized += 1
    log.log(.debug, "\(opcode) of \(payload.count) octets is longer than the MTU of \(mtu)")
    if opcode.role == .response {
      receiveResponse(opcode, payload.prefix(mtu))
    } else if isRequest(opcode), channel?.isCongested == false {
      refuse(opcode, .invalidPDU)
    }
  }

  private func isAnswered(_ opcode: ATTOpcode) -> Bool { opcode == .handleValueIndication || isRequest(opcode) }

  /// Whether a PDU of this opcode must be answered. An unknown opcode without the command flag is: with Request Not Supported.
  private func isRequest(_ opcode: ATTOpcode) -> Bool {
    switch opcode.role {
    case .request, nil: true
    default: false
    }
  }

  private func receiveNotification(_ payload: ArraySlice<UInt8>) {
    var reader = ByteReader(payload.dropFirst(), layer: "ATT")
    guard let notification = try? ATTHandleValueNotification(from: &reader) else {
      dropped.malformed += 1
      return
    }
    _ = client?.bearer(self, didReceive: notification.attributeValue, of: notification.attributeHandle)
  }

  /// Handles indications and multiple-value notifications. Single notifications and responses are handled before.
  private func dispatch(_ pdu: ATTServerPDU) {
    switch pdu {
    case .multipleHandleValueNotification(let multiple):
      guard let tuples = try? multiple.tuples() else {
        dropped.malformed += 1
        return
      }
      for tuple in tuples where isOpen {
        _ = client?.bearer(self, didReceive: tuple.attributeValue, of: tuple.attributeHandle)
      }
    case .handleValueIndication(let indication): receive(indication)
    default: break
    }
  }

  private func dispatch(_ opcode: ATTOpcode, _ pdu: ATTClientPDU) {
    switch pdu {
    case .handleValueConfirmation: receiveConfirmation()
    case .exchangeMTURequest(let request): answer(request)
    case .writeCommand, .signedWriteCommand: server?.bearer(self, didReceiveCommand: pdu)
    case .unknown:
      if opcode.isCommand {
        dropped.ignored += 1
      } else {
        refuse(opcode, .requestNotSupported)
      }
    default: open(opcode, pdu)
    }
  }

  /// Passes a request, other than for the MTU, to the server unless another one is open (Core, Vol 3 Part F 3.3.2).
  private func open(_ opcode: ATTOpcode, _ request: ATTClientPDU) {
    guard openRequest == nil else {
      dropped.overlappingRequests += 1
      log.log(.debug, "dropped \(opcode): the previous request is not answered yet")
      return
    }
    openRequest = opcode
    guard let server else { return refuse(.requestNotSupported, at: AttributeHandle(0)) }
    server.bearer(self, didReceive: request)
  }
}
