import BLECore
import BLEWire

/// The channel on which a bearer sends its PDUs: L2CAP's fixed channel, or a channel of the enhanced protocol. Everything on the
/// loop.
public protocol ATTChannel: AnyObject {
  /// Octets left free in front of each PDU.
  var headroom: Int { get }
  /// Sends one PDU, behind all sent before it. `sent`: as in `L2CAPCarrier`.
  func send(_ pdu: consuming ByteWriter, sent: (() -> Void)?)
  /// Whether so many frames are queued that requests of the peer are not answered.
  var isCongested: Bool { get }
}

/// Receives notifications and indications of the peer's server. Everything on the loop; values share the storage of the packet.
public protocol ATTClientHandler: AnyObject {
  /// Called for each notified or indicated value.
  /// - Returns: whether there was room for it. If not, an indication is not confirmed.
  func bearer(_ bearer: ATTBearer, didReceive value: ArraySlice<UInt8>, of handle: AttributeHandle) -> Bool
}

/// Receives requests and commands of the peer's client. Everything on the loop.
public protocol ATTServerHandler: AnyObject {
  /// Called for a request. Answer it once, at any time, with `respond` or `refuse`; until then no other request is passed on.
  func bearer(_ bearer: ATTBearer, didReceive request: ATTClientPDU)
  /// Called for a write command, signed or not.
  func bearer(_ bearer: ATTBearer, didReceiveCommand command: ATTClientPDU)
}

/// Changes of a bearer as a whole. Everything on the loop.
public protocol ATTBearerOwner: AnyObject {
  func bearer(_ bearer: ATTBearer, didUpdateMTU octets: Int)
  /// Called when a transaction has timed out and the bearer is closed.
  func bearerDidTimeOut(_ bearer: ATTBearer)
}

/// Why a request failed.
public enum ATTFailure: Error, Equatable, Sendable {
  /// The server's error response.
  case refused(ATTErrorCode, AttributeHandle)
  /// The response violated the protocol.
  case malformed(DecodeError)
  /// The server requires a link of higher security, and there is no room for the keys of another device.
  case tooManyBonds
  /// No response within 30 s; the bearer is closed.
  case timedOut
  /// The bearer was closed before the response arrived.
  case closed
}

/// Counts of what was dropped on one bearer, by reason.
public struct ATTStatistics: Equatable, Sendable {
  /// PDUs that are too short, too long for their fields, or contradictory.
  public var malformed = 0
  /// PDUs longer than the MTU.
  public var oversized = 0
  /// Responses to no request, or of the wrong type.
  public var unsolicitedResponses = 0
  /// Indications that were not confirmed because there was no room for them.
  public var unconfirmed = 0
  /// Confirmations without an indication.
  public var unsolicitedConfirmations = 0
  /// Requests that arrived before the previous one was answered.
  public var overlappingRequests = 0
  /// Requests and indications that were dropped because too many frames to the peer are queued, or another indication is held.
  public var unanswered = 0
  /// Commands of an unknown opcode.
  public var ignored = 0
  /// Requests sent, for benchmarks.
  public var requestsSent = 0

  public init() {}
}
