internal import BLECore

/// One of a channel's two streams.
enum StreamSide {
  case input
  case output
}

/// The state of one stream. Guarded by the pipe's lock.
struct StreamState {
  weak var delegate: (any StreamDelegate)?
  var isOpen = false
  var isClosed = false
  /// The delegate was not yet called for the opening of the stream.
  var owesOpening = false
  /// The delegate was not called for octets or space since the program last read or wrote: it is called once.
  var isArmed = true
  /// The delegate was called for the end.
  var hasToldEnd = false
  /// The run loops were woken and have not called back.
  var isSignalled = false
  /// The delegate is being called.
  var isTelling = false
  /// The run loops that the stream is scheduled on.
  var schedule: StreamSchedule?
  /// Called when the delegate was called: a simulated world's time stands still until then.
  var holds: [@Sendable () -> Void] = []
  /// A check is scheduled whether time stands still for a run loop that no thread runs.
  var isWatched = false
  /// As far as is known, no thread runs the run loops.
  var isAbandoned = false
  /// That was logged.
  var isReported = false
}

extension ChannelPipe {
  subscript(_ side: StreamSide) -> StreamState {
    _read { yield side == .input ? input : output }
    _modify {
      switch side {
      case .input: yield &input
      case .output: yield &output
      }
    }
  }

  /// Whether an open stream has an event for its delegate. Under the lock.
  func hasEvent(_ side: StreamSide) -> Bool { nextEvent(side) != nil }

  /// Under the lock.
  private func nextEvent(_ side: StreamSide) -> Stream.Event? {
    let state = self[side]
    guard state.isOpen, !state.isClosed else { return nil }
    if state.owesOpening { return .openCompleted }
    let isReady: Bool
    let isOver: Bool
    switch side {
    case .input:
      isReady = !received.isEmpty
      isOver = end != nil && received.isEmpty
    case .output:
      isReady = end == nil && space >= Self.outputLowWater
      isOver = end != nil
    }
    if isReady && state.isArmed { return side == .input ? .hasBytesAvailable : .hasSpaceAvailable }
    if isOver && !state.hasToldEnd { return end?.error == nil ? .endEncountered : .errorOccurred }
    return nil
  }

  /// The next event, which counts as delivered from now on.
  func takeEvent(_ side: StreamSide) -> (event: Stream.Event, delegate: (any StreamDelegate)?)? {
    locked {
      self[side].isSignalled = false
      self[side].isAbandoned = false
      self[side].isTelling = true
      guard let event = nextEvent(side) else { return nil }
      switch event {
      case .openCompleted: self[side].owesOpening = false
      case .hasBytesAvailable, .hasSpaceAvailable: self[side].isArmed = false
      default: self[side].hasToldEnd = true
      }
      return (event, self[side].delegate)
    }
  }

  /// Under the lock.
  func status(_ side: StreamSide) -> Stream.Status {
    if self[side].isClosed { return .closed }
    guard self[side].isOpen else { return .notOpen }
    guard let end, side == .output || received.isEmpty else { return .open }
    return end.error == nil ? .atEnd : .error
  }

  // MARK: Shared by both streams

  func open(_ side: StreamSide) {
    let isNew = locked {
      guard !self[side].isOpen, !self[side].isClosed else { return false }
      self[side].isOpen = true
      self[side].owesOpening = true
      return true
    }
    if isNew { changed() }
  }

  func close(_ side: StreamSide) {
    let (schedule, holds) = locked {
      defer {
        self[side].isClosed = true
        self[side].schedule = nil
        self[side].holds = []
      }
      if side == .input { consumed += received.removeAll() }
      lock.broadcast()
      return (self[side].schedule, self[side].holds)
    }
    schedule?.removeAll()
    for finished in holds { finished() }
    requestJob()
  }

  /// Called on a program's thread when something has changed that may cause an event.
  func changed() {
    signalStreams()
    if loop.isVirtual { requestJob() }
  }
}
