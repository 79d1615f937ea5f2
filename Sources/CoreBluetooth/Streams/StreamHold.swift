internal import BLECore

// Streams in a simulated world: from the moment a run loop is woken until it calls the delegate, the world's time stands still,
// as it does for callbacks on the manager's queue. A run loop that no thread runs does not stop time, once that is known.

extension ChannelPipe {
  /// On the loop.
  func holdTime() {
    guard loop.isVirtual else { return }
    for side in [StreamSide.input, .output] where locked({ self[side].isBusy }) {
      loop.deliver(StreamHold(self, side))
    }
  }

  /// Time may advance, whether or not the delegate was called.
  func releaseHolds(_ side: StreamSide) {
    let holds = locked {
      defer { self[side].holds = [] }
      return self[side].holds
    }
    for finished in holds { finished() }
  }

  /// The delegate was called, and time may advance unless there is another event.
  func finishTelling(_ side: StreamSide) {
    let holds: [@Sendable () -> Void] = locked {
      self[side].isTelling = false
      if self[side].isSignalled { return [] }
      defer { self[side].holds = [] }
      return self[side].holds
    }
    for finished in holds { finished() }
  }

  /// Sets the run loops on which the stream delivers its events.
  func setSchedule(_ schedule: StreamSchedule, _ side: StreamSide) { locked { self[side].schedule = schedule } }
}

extension StreamState {
  /// The delegate is to be called, or is being called.
  fileprivate var isBusy: Bool { isSignalled || isTelling }
}

/// Stops time until a stream's delegate was called.
private final class StreamHold: CallbackDelivery {
  private let pipe: ChannelPipe
  private let side: StreamSide

  init(_ pipe: ChannelPipe, _ side: StreamSide) {
    self.pipe = pipe
    self.side = side
  }

  func dispatch(finished: @escaping @Sendable () -> Void) {
    let isRunning = pipe.locked { pipe[side].schedule }?.isRunning ?? false
    let isHeld = pipe.locked {
      guard pipe[side].isBusy, isRunning || !pipe[side].isAbandoned else { return false }
      pipe[side].holds.append(finished)
      return true
    }
    if isHeld { pipe.watch(side) } else { finished() }
  }
}

extension ChannelPipe {
  /// How often in a row a run loop is found not running before it counts as one that no thread runs. Between two events it is not
  /// running for a moment, which can be long on a busy machine. Checks are counted, not time: while the whole machine stands
  /// still, there are no checks.
  private static let patience = 40
  private static let lookInterval = DispatchTimeInterval.milliseconds(50)

  fileprivate func watch(_ side: StreamSide) {
    let isNew = locked {
      defer { self[side].isWatched = true }
      return !self[side].isWatched
    }
    if isNew { look(side, looksLeft: Self.patience) }
  }

  private func look(_ side: StreamSide, looksLeft: Int) {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.lookInterval) { [weak self] in
      self?.lookNow(side, looksLeft: looksLeft - 1)
    }
  }

  private func lookNow(_ side: StreamSide, looksLeft: Int) {
    let isRunning = locked { self[side].schedule }?.isRunning ?? false
    let isHeld = locked {
      if self[side].holds.isEmpty { self[side].isWatched = false }
      return self[side].isWatched
    }
    guard isHeld else { return }
    if isRunning || looksLeft > 0 { return look(side, looksLeft: isRunning ? Self.patience : looksLeft) }
    let isFirst = locked {
      self[side].isWatched = false
      self[side].isAbandoned = true
      defer { self[side].isReported = true }
      return !self[side].isReported
    }
    if isFirst {
      log.log(
        .warning,
        """
        The \(side) stream of the channel by PSM \(multiplexer) is scheduled on a run loop that does not run: its delegate is not \
        called, and time advances. Schedule it on RunLoop.main, or on the run loop of a thread that runs it
        """)
    }
    releaseHolds(side)
  }
}
