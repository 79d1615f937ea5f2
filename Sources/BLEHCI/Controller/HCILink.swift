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
  public var isOpen: Bool { !isClosed }
  /// Retained until the link closes.
  public var receiver: (any HCILinkReceiver)? {
    get { dataReceiver }
    set { dataReceiver = newValue }
  }
  /// The number of frames that are not completely sent.
  public var queuedFrames: Int { (first == nil ? 0 : 1) + behind.count }

  // What a packet passes is in properties that only this target reaches, and that are read and written as a whole: the compiler proves that
  // nothing else accesses them at that moment, and leaves out the check for exclusive access.
  var isClosed = false
  var dataReceiver: (any HCILinkReceiver)?
  /// The frame of which pieces are sent.
  private var first: [UInt8]?
  /// The start of its next piece.
  private var offset = 0
  private var token: UInt64 = 0
  private let behind = PacketQueue<Frame>()
  /// The number of packets with the controller.
  var outstanding = 0
  /// Whether the link is in the scheduler's ring.
  var isInRing = false
  /// The link behind this one in the ring.
  var nextInRing: HCILink?
  var isWaiting: Bool { first != nil }
  var isActive: Bool { outstanding > 0 || isWaiting }

  private unowned let scheduler: ACLScheduler

  init(handle: ConnectionHandle, scheduler: ACLScheduler) {
    self.handle = handle
    self.scheduler = scheduler
  }

  func append(_ frame: consuming [UInt8], from start: Int, _ number: UInt64) {
    if first == nil {
      (first, offset, token) = (frame, start, number)
    } else {
      behind.append(Frame(octets: frame, offset: start, token: number))
    }
  }

  /// The next piece of the first frame, of at most `length` octets, with the frame's token if it was the last one; `nil` if no frame waits.
  func nextPiece(_ length: Int) -> (packet: HCIPacket, ended: UInt64?)? {
    guard let frame = first.take() else { return nil }
    var end = offset
    let packet = piece(of: frame, at: &end, length)
    offset = end
    if end < frame.count {
      first = consume frame
      return (packet, nil)
    }
    let ended = token
    if let next = behind.popFirst() { (first, offset, token) = (next.octets, next.offset, next.token) }
    return (packet, ended)
  }

  /// At most `length` octets of a frame from `offset` on, which moves behind them. They share the frame's memory.
  func piece(of frame: borrowing [UInt8], at offset: inout Int, _ length: Int) -> HCIPacket {
    let start = offset
    offset = min(frame.count, start + length)
    return HCIPacket(
      HCIACLPacket(
        connectionHandle: handle, boundary: start == 0 ? .firstNonFlushable : .continuing,
        payload: frame[start..<offset]))
  }

  func dropFrames() {
    first = nil
    behind.removeAll()
  }

  /// Sends an L2CAP frame, in pieces if the controller's buffers are smaller.
  ///
  /// - Parameters:
  ///   - frame: the frame with its L2CAP header; its packets share this array.
  ///   - token: passed to `link(_:didHandOver:)`, if the frame had to wait.
  @discardableResult
  public func send(_ frame: consuming [UInt8], token: UInt64 = 0) -> Departure {
    guard isOpen, !frame.isEmpty else { return .closed }
    return scheduler.send(frame, token: token, on: self)
  }
}
