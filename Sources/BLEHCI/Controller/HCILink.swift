import BLECore
import BLEWire

/// Receives what comes in on one link. On the loop.
public protocol HCILinkReceiver: AnyObject {
  /// A piece of an L2CAP frame; its payload shares the storage of the packet from the transport.
  func link(_ link: HCILink, didReceive packet: HCIACLPacket)
  /// The last piece of a frame that had to wait went to the controller. `token` is what it was sent with.
  func link(_ link: HCILink, didHandOver token: UInt64)
}

/// The data of one connection. Made by ``HCIController`` when the connection is complete, closed when it has ended.
public final class HCILink {
  /// How many octets in front of a frame are to be left free for the header of the data packet.
  public static let headroom = HCIACLPacket.headerLength

  /// What became of a frame.
  public enum Departure: Sendable {
    /// All of it is with the controller.
    case handedOver
    /// Some of it waits for the controller; the receiver is told when the last piece has gone.
    case queued
    /// The link is closed; the frame is dropped.
    case closed
  }

  struct Frame {
    var octets: [UInt8]
    /// Where the next piece begins.
    var offset: Int
    let token: UInt64
  }

  public let handle: ConnectionHandle
  /// False after the connection has ended.
  public internal(set) var isOpen = true
  /// Held until the link closes.
  public var receiver: (any HCILinkReceiver)?
  /// Frames of which a part still waits.
  public var queuedFrames: Int { queue.count }

  var queue = FIFO<Frame>()
  /// Packets with the controller.
  var outstanding = 0
  /// In the scheduler's ring.
  var isInRing = false
  var isActive: Bool { outstanding > 0 || !queue.isEmpty }

  private unowned let scheduler: ACLScheduler

  init(handle: ConnectionHandle, scheduler: ACLScheduler) {
    self.handle = handle
    self.scheduler = scheduler
  }

  /// Sends an L2CAP frame, in pieces where the controller's buffers are smaller.
  ///
  /// - Parameters:
  ///   - frame: `headroom` octets of any value, then the frame with its L2CAP header. Where the frame fits one packet, this
  ///     array becomes the packet: nothing is copied where the caller keeps no other reference to it.
  ///   - token: told to the receiver in `link(_:didHandOver:)`, if the frame had to wait.
  @discardableResult
  public func send(_ frame: consuming [UInt8], token: UInt64 = 0) -> Departure {
    guard isOpen, frame.count > Self.headroom else { return .closed }
    return scheduler.send(frame, token: token, on: self)
  }
}
