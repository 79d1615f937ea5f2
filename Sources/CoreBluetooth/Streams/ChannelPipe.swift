internal import BLEAdapter
internal import BLECore

/// Connects a channel of the stack with the two streams of a program: received octets that were not read, written octets that
/// were not sent, and the state of each stream.
///
/// `@unchecked Sendable`: `channel` is used on the loop only, all other mutable state is guarded by `lock`.
final class ChannelPipe: @unchecked Sendable {
  /// The number of octets that can wait to be sent.
  static let outputCapacity = 64 << 10
  /// The number of octets that are passed to the stack in one piece: space is released piece by piece.
  static let pieceLength = 16 << 10
  /// The free octets that are required before a stream's delegate is called for space: one packet's worth is not enough.
  static let outputLowWater = 16 << 10

  let multiplexer: CBL2CAPPSM
  /// Blocking calls wait on it for octets or for space.
  let lock = NSCondition()
  let loop: any StackLoop
  private let origin: JobOrigin
  let log: Logger

  // Guarded by the lock.
  var received = OctetQueue()
  /// Read, and not yet reported to the stack.
  var consumed = 0
  var written: [UInt8] = []
  /// Octets that the stack is sending.
  var underWay = 0
  /// How the channel ended.
  var end: ChannelEnd?
  var input = StreamState()
  var output = StreamState()
  private var isClosing = false
  private var isJobPending = false

  /// On the loop.
  private var channel: (any PeerChannel)?
  /// Octets were received that the reader does not know of. On the loop.
  private var hasNews = false

  /// On the loop.
  init(_ channel: any PeerChannel, loop: any StackLoop, origin: JobOrigin, log: Logger) {
    self.channel = channel
    self.loop = loop
    self.origin = origin
    self.log = log
    multiplexer = channel.multiplexer.rawValue
    channel.events = self
  }

  deinit {
    guard let channel else { return }
    let bound = LoopBound(channel)
    loop.submit(from: origin) { bound.value.close() }
  }

  /// Ends the channel when all written octets are sent.
  func close() {
    locked { isClosing = true }
    requestJob()
  }

  func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  // MARK: Calls on programs' threads, passed to the stack

  /// Submits a job that passes the changes to the stack; several changes share one job.
  func requestJob() {
    let isNew = locked {
      defer { isJobPending = true }
      return !isJobPending
    }
    if isNew { loop.submit(from: origin) { [self] in work() } }
  }

  /// On the loop.
  private func work() {
    let (count, octets, isClosing) = locked {
      isJobPending = false
      let octets = written
      written = []
      underWay += octets.count
      defer { consumed = 0 }
      return (consumed, octets, self.isClosing || input.isClosed && output.isClosed)
    }
    if let channel {
      if count > 0 { channel.consume(count) }
      send(octets, on: channel)
      if isClosing { channel.close() }
    }
    holdTime()
  }

  /// On the loop.
  private func send(_ octets: [UInt8], on channel: any PeerChannel) {
    if octets.isEmpty { return }
    if octets.count <= Self.pieceLength {
      channel.send(octets) { [weak self] in self?.sent(octets.count) }
      return
    }
    for start in stride(from: 0, to: octets.count, by: Self.pieceLength) {
      let piece = Array(octets[start..<min(start + Self.pieceLength, octets.count)])
      channel.send(piece) { [weak self] in self?.sent(piece.count) }
    }
  }

  /// On the loop.
  private func sent(_ count: Int) {
    locked {
      underWay -= count
      lock.broadcast()
    }
    signalStreams()
    holdTime()
  }

  // MARK: Readiness

  /// The number of octets that can be written. Under the lock.
  var space: Int { max(0, Self.outputCapacity - written.count - underWay) }

  /// Signals the run loops of those streams that have an event.
  func signalStreams() {
    for side in [StreamSide.input, .output] {
      let schedule: StreamSchedule? = locked {
        guard hasEvent(side), !self[side].isSignalled, let schedule = self[side].schedule, !schedule.isEmpty else {
          return nil
        }
        self[side].isSignalled = true
        return schedule
      }
      schedule?.signal()
    }
  }
}

extension ChannelPipe: TimerTarget {
  /// All packets that came together are there.
  func timerFired(tag: Int) {
    hasNews = false
    // Not under the lock, for which the reader would have to wait again.
    lock.broadcast()
    signalStreams()
    holdTime()
  }
}

extension ChannelPipe: PeerChannelEvents {
  func channel(_ channel: any PeerChannel, didReceive octets: ArraySlice<UInt8>) {
    let isWanted = locked {
      if input.isClosed { return false }
      received.append(octets)
      return true
    }
    guard isWanted else { return channel.consume(octets.count) }
    if hasNews { return }
    hasNews = true
    // Packets come several at a time: the reader is woken once for all of them.
    loop.schedule(after: .zero, .work, self)
  }

  func channel(_ channel: any PeerChannel, didClose reason: EndReason) {
    self.channel = nil
    locked {
      end = ChannelEnd(reason)
      lock.broadcast()
    }
    signalStreams()
    holdTime()
  }
}

/// How a channel ended, as its streams report it.
struct ChannelEnd {
  /// `nil` if one of the two sides has closed it.
  let error: CBError?

  init(_ reason: EndReason) {
    switch reason {
    case .requested, .closedByPeer: error = nil
    default: error = CBError(reason)
    }
  }
}
