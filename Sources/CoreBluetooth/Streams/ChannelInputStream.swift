/// The octets from the peer of a channel.
///
/// Calls may come from any thread; the delegate is called on the run loops that the stream is scheduled on.
final class ChannelInputStream: InputStream {
  private let pipe: ChannelPipe
  private let schedule: StreamSchedule

  init(_ pipe: ChannelPipe) {
    self.pipe = pipe
    schedule = StreamSchedule()
    super.init(data: Data())
    schedule.attach(self, pipe, .input)
  }

  deinit { pipe.close(.input) }

  override var delegate: (any StreamDelegate)? {
    get { pipe.locked { pipe.input.delegate } }
    set { pipe.locked { pipe.input.delegate = newValue } }
  }

  override func open() { pipe.open(.input) }
  override func close() { pipe.close(.input) }
  override var streamStatus: Stream.Status { pipe.locked { pipe.status(.input) } }
  override var streamError: (any Error)? { pipe.locked { pipe.status(.input) == .error ? pipe.end?.error : nil } }

  override var hasBytesAvailable: Bool {
    pipe.locked { pipe.input.isOpen && !pipe.input.isClosed && !pipe.received.isEmpty }
  }

  /// Blocks while there is nothing to read. 0 at the end, -1 if the channel was lost or the stream is not open.
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    let destination = UnsafeMutableBufferPointer(start: buffer, count: max(0, len))
    let count = pipe.locked {
      guard pipe.input.isOpen, len > 0 else { return -1 }
      while pipe.received.isEmpty, pipe.end == nil, !pipe.input.isClosed { pipe.lock.wait() }
      if pipe.input.isClosed { return -1 }
      if pipe.received.isEmpty { return pipe.end?.error == nil ? 0 : -1 }
      let count = pipe.received.read(into: destination)
      pipe.consumed += count
      pipe.input.isArmed = true
      return count
    }
    if count > 0 {
      pipe.signalStreams()
      pipe.requestJob()
    }
    return count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    schedule.add(aRunLoop, mode)
    pipe.changed()
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { schedule.remove(aRunLoop, mode) }
}
