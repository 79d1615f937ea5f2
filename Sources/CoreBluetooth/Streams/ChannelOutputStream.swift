/// The octets to the peer of a channel.
///
/// Calls may come from any thread; the delegate is called on the run loops that the stream is scheduled on.
final class ChannelOutputStream: OutputStream {
  private let pipe: ChannelPipe
  private let schedule: StreamSchedule

  init(_ pipe: ChannelPipe) {
    self.pipe = pipe
    schedule = StreamSchedule()
    super.init(toMemory: ())
    schedule.attach(self, pipe, .output)
  }

  required init(toMemory: ()) { raise("A channel's stream is only vended by the channel") }

  deinit { pipe.close(.output) }

  override var delegate: (any StreamDelegate)? {
    get { pipe.locked { pipe.output.delegate } }
    set { pipe.locked { pipe.output.delegate = newValue } }
  }

  override func open() { pipe.open(.output) }
  /// Pending octets are still sent.
  override func close() { pipe.close(.output) }
  override var streamStatus: Stream.Status { pipe.locked { pipe.status(.output) } }
  override var streamError: (any Error)? { pipe.locked { pipe.status(.output) == .error ? pipe.end?.error : nil } }

  override var hasSpaceAvailable: Bool {
    pipe.locked { pipe.output.isOpen && !pipe.output.isClosed && pipe.end == nil && pipe.space > 0 }
  }

  /// Accepts as much as there is space for, and blocks while there is none. -1 if the channel has ended or the stream is not open.
  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    let count = pipe.locked {
      guard pipe.output.isOpen, len >= 0 else { return -1 }
      while pipe.space == 0, pipe.end == nil, !pipe.output.isClosed { pipe.lock.wait() }
      if pipe.end != nil || pipe.output.isClosed { return -1 }
      let count = min(len, pipe.space)
      pipe.written.append(contentsOf: UnsafeBufferPointer(start: buffer, count: count))
      pipe.output.isArmed = true
      return count
    }
    if count > 0 {
      pipe.signalStreams()
      pipe.requestJob()
    }
    return count
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    schedule.add(aRunLoop, mode)
    pipe.changed()
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { schedule.remove(aRunLoop, mode) }
}
