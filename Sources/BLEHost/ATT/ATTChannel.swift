import BLECore
import BLEWire

/// The channel that a bearer sends its PDUs on: L2CAP's fixed channel, or one that was opened for the enhanced protocol.
/// Everything on the loop.
public protocol ATTChannel: AnyObject {
  /// Octets that a PDU's writer leaves free in front.
  var headroom: Int { get }
  /// Sends one PDU after all that were sent before. `sent`: as in `L2CAPCarrier`.
  func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?)
  /// True while so much waits to be sent that a peer who asks further is not answered.
  var isCongested: Bool { get }
}

extension L2CAPLink: ATTChannel {
  public var headroom: Int { Self.payloadHeadroom }
  public func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?) {
    send(pdu, on: .attributeProtocol, sent: sent)
  }
  public var isCongested: Bool { queuedFrames > Self.answerLimit }
}

/// The client's half of a bearer's owner: what the server sends unasked. Everything on the loop; values share the storage
/// of the packet.
public protocol ATTClientHandler: AnyObject {
  /// A notification or an indication.
  /// - Returns: whether there was room for it. An indication for which there was none is not confirmed.
  func bearer(_ bearer: ATTBearer, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
}

/// The server's half of a bearer's owner: what the client asks. Everything on the loop.
public protocol ATTServerHandler: AnyObject {
  /// A request; it is answered once, at any time, by `respond` or `refuse`. Until then no other request comes.
  func bearer(_ bearer: ATTBearer, didReceive request: ATTClientPDU)
  /// A write without response, or a signed one.
  func bearer(_ bearer: ATTBearer, didReceiveCommand command: ATTClientPDU)
}

/// Changes of a bearer as a whole. Everything on the loop.
public protocol ATTBearerOwner: AnyObject {
  func bearer(_ bearer: ATTBearer, didUpdateMTU octets: Int)
  /// A transaction has timed out: nothing is sent on this bearer any more.
  func bearerDidTimeOut(_ bearer: ATTBearer)
}

/// How a request failed.
public enum ATTFailure: Error, Equatable, Sendable {
  /// The server's error response.
  case refused(ATTErrorCode, AttributeHandle)
  /// The response was against the protocol.
  case malformed(DecodeError)
  /// The server wants a link of better security, and there is no room for the keys of one more device.
  case tooManyBonds
  /// No response within 30 s; the bearer is closed.
  case timedOut
  /// The bearer was closed before the response came.
  case closed
}

/// What was dropped on one bearer, by why.
public struct ATTStatistics: Equatable, Sendable {
  /// PDUs shorter than their fixed part, with octets left over, or contradictory.
  public var malformed = 0
  /// PDUs longer than the MTU.
  public var oversized = 0
  /// Responses to no request, or of the wrong type.
  public var unsolicitedResponses = 0
  /// Indications that were not confirmed, since there was no room for them.
  public var unconfirmed = 0
  /// Confirmations of no indication.
  public var unsolicitedConfirmations = 0
  /// Requests that came before the one before them was answered.
  public var overlappingRequests = 0
  /// Requests and indications that were dropped because the peer takes no answers.
  public var unanswered = 0
  /// Commands and notifications that are not known or that nobody takes.
  public var ignored = 0
  /// Requests sent, for benchmarks.
  public var requestsSent = 0

  public init() {}
}
