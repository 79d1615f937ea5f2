import BLECore
import BLEWire

/// What brings the frames of one link to the controller. Everything on the loop.
public protocol L2CAPCarrier: AnyObject {
  /// Takes a frame for sending, after all frames that it took before.
  ///
  /// The first `L2CAPLink.carrierHeadroom` octets of `frame` are free for the header of the first ACL packet; the L2CAP
  /// frame follows. `sent` is called once and never inside this call: when the last octet has left for the controller, or
  /// when the link has ended and it never will.
  func send(_ frame: consuming [UInt8], sent: (() -> Void)?)
  /// Frames that were taken and have not left.
  var queuedFrames: Int { get }
}

/// What takes the payloads of one fixed channel. Everything on the loop.
public protocol L2CAPChannelReceiver: AnyObject {
  /// One whole payload. It shares the storage of what the controller sent: copy what is to be kept.
  func receive(_ payload: ArraySlice<UInt8>)
}

/// Which end of a link this host is.
public enum LinkRole: Hashable, Sendable {
  case central
  case peripheral
}

/// What a link asks of whoever owns it. Everything on the loop.
public protocol L2CAPLinkOwner: AnyObject {
  /// The peripheral asks for other connection parameters, which are in their ranges. True: they are accepted, and the
  /// owner asks the controller for them.
  func link(
    _ link: L2CAPLink, acceptsConnectionParameters parameters: L2CAPConnectionParameterUpdateRequest
  ) -> Bool
}

/// What was dropped on one link, by why.
public struct L2CAPStatistics: Equatable, Sendable {
  /// Continuations without a beginning, beginnings without a header, and frames that did not become whole.
  public var brokenFrames = 0
  /// Frames longer than their channel takes.
  public var oversizedFrames = 0
  /// Frames of channels that nobody serves.
  public var unknownChannels = 0
  /// Signaling commands that were ignored.
  public var ignoredCommands = 0
  /// Signaling commands that were not answered because the peer takes no answers.
  public var unansweredCommands = 0
  /// Signaling commands that were answered with a rejection.
  public var rejectedCommands = 0
  /// Channels that were closed because the peer broke their rules.
  public var violatedChannels = 0

  public init() {}
}
