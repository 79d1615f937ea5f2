import BLECore
import BLEHCI
import BLEWire

/// Passes the frames of one link to the controller and its data to L2CAP, and calls the `sent` closures of the frames.
final class FrameCarrier: L2CAPCarrier, HCILinkReceiver, TimerTarget {
  private let data: HCILink
  /// Retains this carrier; `nil` once it is closed.
  private var link: L2CAPLink?
  private let loop: any StackLoop
  /// The closures of frames queued for the controller, oldest first. Only these frames have a token other than 0.
  private let queued = DeferredCalls()
  private var nextToken: UInt64 = 1
  /// The closures of frames that were passed on, or dropped, within `send`; called after the current job.
  private var left: [DeferredCall] = []

  init(data: HCILink, loop: any StackLoop) {
    self.data = data
    self.loop = loop
  }

  func send(_ frame: consuming [UInt8], sent: (() -> Void)?) {
    guard let sent else {
      data.send(frame)
      return
    }
    defer { nextToken &+= 1 }
    switch data.send(frame, token: nextToken) {
    case .queued: queued.append(sent)
    case .handedOver, .closed:
      left.append(DeferredCall(call: sent))
      if left.count == 1 { loop.schedule(after: .zero, .work, self) }
    }
  }

  var queuedFrames: Int { data.queuedFrames }

  /// Passes on what is received from now on, until `close()`.
  func open(_ link: L2CAPLink) {
    self.link = link
    data.receiver = self
  }

  /// The link has ended: the frames that were not passed on are dropped. Calls all closures.
  func close() {
    abandon()
    timerFired(tag: 0)
    queued.callAll()
  }

  /// Releases the link without calling anything.
  func abandon() {
    data.receiver = nil
    link = nil
  }

  func link(_ data: HCILink, didReceive packet: HCIACLPacket) {
    link?.receive(fragment: packet.payload, isFirst: packet.boundary != .continuing)
  }

  func link(_ data: HCILink, didHandOver token: UInt64) {
    if token != 0 { queued.callNext() }
  }

  func timerFired(tag: Int) {
    var done: [DeferredCall] = []
    swap(&done, &left)
    for sent in done { sent.call() }
  }
}
