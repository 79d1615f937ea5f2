import BLECore
import BLEHCI
import BLEWire

/// Brings the frames of one link to the controller, and tells their senders when they have left.
final class FrameCarrier: L2CAPCarrier, TimerTarget {
  private let data: HCILink
  private let loop: any StackLoop
  /// Of frames that wait in the controller's queue, oldest first. Only they have a number.
  private var queued = ClosureQueue()
  private var nextToken: UInt64 = 1
  /// Of frames that left within the call that brought them; told when the present job is done.
  private var left: [() -> Void] = []

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
    case .closed: break
    case .queued: queued.append(sent)
    case .handedOver:
      left.append(sent)
      if left.count == 1 { loop.schedule(after: .zero, .work, self) }
    }
  }

  var queuedFrames: Int { data.queuedFrames }

  func handedOver(_ token: UInt64) {
    if token != 0 { queued.removeFirst()?() }
  }

  func timerFired(tag: Int) {
    guard data.isOpen else { return }
    var told: [() -> Void] = []
    swap(&told, &left)
    for sent in told { sent() }
  }
}
