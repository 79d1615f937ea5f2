import BLECore
import BLEWire

/// Carries the frames of one link to the controller. Everything on the loop.
public protocol L2CAPCarrier: AnyObject {
  /// Queues a frame for sending, behind all frames queued before it.
  ///
  /// `sent` is called once and never inside this call: when the last octet has gone to the controller, or when the link has ended
  /// before that.
  func send(_ frame: consuming [UInt8], sent: (() -> Void)?)
  /// The number of frames queued and not yet passed to the controller.
  var queuedFrames: Int { get }
}

/// A function to be called later, in a list of such. A structure, because of a function by itself in a collection the compiler makes another form,
/// an object for each.
struct DeferredCall {
  let call: () -> Void
}

/// Functions to be called one after the other, in the order in which they were added. An object, so that what calls the next one retains these
/// functions and nothing else.
final class DeferredCalls {
  private let calls = PacketQueue<DeferredCall>()

  func append(_ call: @escaping () -> Void) { calls.append(DeferredCall(call: call)) }
  func callNext() { calls.popFirst()?.call() }
  func removeAll() { calls.removeAll() }
  /// Calls those that are there now.
  func callAll() { for deferred in calls.takeAll() { deferred.call() } }
}

/// Receives the payloads of one fixed channel. Everything on the loop.
public protocol L2CAPChannelReceiver: AnyObject {
  /// Receives one complete payload. It shares the storage of the controller's packet: copy what outlives the call.
  func receive(_ payload: ArraySlice<UInt8>)
}

/// The role of this host on a link.
public enum LinkRole: Hashable, Sendable {
  case central
  case peripheral
}

/// The decisions that a link leaves to its owner, by default refusals, and what came of them. Everything on the loop.
public protocol L2CAPLinkOwner: AnyObject {
  /// The peripheral requests other connection parameters, which are within the specification's ranges. Returns whether they are
  /// accepted; if so, the owner requests them from the controller.
  func link(
    _ link: L2CAPLink, acceptsConnectionParameters parameters: L2CAPConnectionParameterUpdateRequest
  ) -> Bool
  /// Returns why the peer can't open a channel to `multiplexer` on this link; `nil` if it can.
  func link(_ link: L2CAPLink, refusalOf multiplexer: ProtocolServiceMultiplexer) -> L2CAPConnectionResult?
  /// The peer has opened a channel. To accept it, set its `events` in this call; a channel without events is closed.
  func link(_ link: L2CAPLink, didOpen channel: L2CAPChannel)
}

extension L2CAPLinkOwner {
  public func link(
    _ link: L2CAPLink, acceptsConnectionParameters parameters: L2CAPConnectionParameterUpdateRequest
  ) -> Bool { false }
  public func link(
    _ link: L2CAPLink, refusalOf multiplexer: ProtocolServiceMultiplexer
  ) -> L2CAPConnectionResult? { .spsmNotSupported }
  public func link(_ link: L2CAPLink, didOpen channel: L2CAPChannel) {}
}

/// Counts of what was dropped on one link, by reason.
public struct L2CAPStatistics: Equatable, Sendable {
  /// Continuation fragments without a start, empty start fragments, and frames that were never completed.
  public var brokenFrames = 0
  /// Frames longer than the maximum payload of their channel.
  public var oversizedFrames = 0
  /// Frames for channels that are not open.
  public var unknownChannels = 0
  /// Signaling commands that were ignored.
  public var ignoredCommands = 0
  /// Signaling commands that were not answered because too many frames to the peer are queued.
  public var unansweredCommands = 0
  /// Signaling commands that were answered with a rejection.
  public var rejectedCommands = 0
  /// Channels that were closed because the peer violated the protocol.
  public var violatedChannels = 0

  public init() {}
}
