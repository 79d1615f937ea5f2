internal import BLECore

// How streams and a simulated world's time go together: while a run loop has been woken and has not called the delegate yet,
// time stands still, as it does for callbacks on the manager's queue. A run loop that nobody runs stops nothing.

extension ChannelPipe {
  /// On the loop.
  func holdTime() {
    guard loop is VirtualLoop else { return }
    for side in [StreamSide.input, .output] where locked({ self[side].isSignalled }) {
      loop.deliver(StreamHold(self, side))
    }
  }

  /// Time may go on, whatever the delegate has been told.
  func releaseHolds(_ side: StreamSide) {
    let holds = locked {
      defer { self[side].holds = [] }
      return self[side].holds
    }
    for finished in holds { finished() }
  }

  func releaseHoldsIfTold(_ side: StreamSide) {
    if !locked({ self[side].isSignalled }) { releaseHolds(side) }
  }

  /// Where the stream's run loops wait for its events.
  func setSchedule(_ schedule: StreamSchedule, _ side: StreamSide) { locked { self[side].schedule = schedule } }
}

/// Holds time until a stream's delegate has been told.
private final class StreamHold: CallbackDelivery {
  private let pipe: ChannelPipe
  private let side: StreamSide

  init(_ pipe: ChannelPipe, _ side: StreamSide) {
    self.pipe = pipe
    self.side = side
  }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    let isHeld =
      isAwaited()
      && pipe.locked {
        guard pipe[side].isSignalled else { return false }
        pipe[side].holds.append(finished)
        return true
      }
    if !isHeld { finished() }
  }

  /// Between two events a run loop is not running for a moment: programs call it again and again.
  private func isAwaited() -> Bool {
    for _ in 0..<64 {
      guard let schedule = pipe.locked({ pipe[side].isSignalled ? pipe[side].schedule : nil }) else { return false }
      if schedule.isRunning { return true }
      sched_yield()
    }
    return false
  }
}
