import BLECore
import BLEWire

/// Receives the data of one link. On the loop.
public protocol HCILinkReceiver: AnyObject {
  /// Called with a piece of an L2CAP frame; its payload shares the storage of the packet from the transport.
  func link(_ link: HCILink, didReceive packet: HCIACLPacket)
  /// Called when the last piece of a queued frame was passed to the controller. `token` is the one passed to `send`.
  func link(_ link: HCILink, didHandOver token: UInt64)
}

/// The data path of one connection. Made by ``HCIController`` when the connection is complete, closed when it has ended.
public final class HCILink {
  /// The number of octets before a frame that are reserved for the header of the data packet.
  public static let headroom = HCIACLPacket.headerLength

  /// The result of sending a frame.
  public enum Departure: Sendable {
    /// All of it is with the controller.
    case handedOver
    /// A part of it waits; the receiver is called when the last piece was passed to the controller.
    case queued
    /// The link is closed; the frame is dropped.
    case closed
  }

  struct Frame {
    var octets: [UInt8]
    /// The start of the next piece.
    var offset: Int
    let token: UInt64
  }

  public let handle: ConnectionHandle
  /// False after the connection has ended.
  public internal(set) var isOpen = true
  /// Retained until the link closes.
  public var receiver: (any HCILinkReceiver)?
  /// The number of frames that are not completely sent.
  public var queuedFrames: Int { queue.count }

  var queue = FIFO<Frame>()
  /// The number of packets with the controller.
  var outstanding = 0
  /// Whether the link is in the scheduler's ring.
  var isInRing = false
  var isActive: Bool { outstanding > 0 || !queue.isEmpty }

  private unowned let scheduler: ACLScheduler

  init(handle: ConnectionHandle, scheduler: ACLScheduler) {
    self.handle = handle
    self.scheduler = scheduler
  }

  /// Sends an L2CAP frame, in pieces if the controller's buffers are smaller.
  ///
  /// - Parameters:
  ///   - frame: `headroom` octets of any value, then the frame with its L2CAP header. If the frame fits one packet, this array
  ///     becomes the packet: nothing is copied if the caller keeps no other reference to it.
  ///   - token: passed to `link(_:didHandOver:)`, if the frame had to wait.
  @discardableResult
  public func send(_ frame: consuming [UInt8], token: UInt64 = 0) -> Departure {
    guard isOpen, frame.count > Self.headroom else { return .closed }
    return scheduler.send(frame, token: token, on: self)
  }
}
