import CoreBluetooth
import Synchronization

/// Two streams on a run loop, used as the delegate's events say: writes the octets it was given, reads those that arrive.
///
/// `@unchecked Sendable`: only the run loop's thread touches it, or the world is not running.
public final class StreamUser: NSObject, StreamDelegate, @unchecked Sendable {
  public let channel: CBL2CAPChannel
  public var toWrite: [UInt8]
  public var received: [UInt8] = []
  public var inputEvents: [Stream.Event] = []
  public var outputEvents: [Stream.Event] = []
  /// Called after each event was recorded.
  public var onEvent: (() -> Void)?
  private var written = 0

  public init(_ channel: CBL2CAPChannel, writing octets: [UInt8] = []) {
    self.channel = channel
    toWrite = octets
  }

  /// On the run loop's thread.
  public func start(on runLoop: RunLoop, mode: RunLoop.Mode = .default) {
    for stream in channel.streams {
      stream.delegate = self
      stream.schedule(in: runLoop, forMode: mode)
      stream.open()
    }
  }

  public func stop() {
    channel.inputStream.close()
    channel.outputStream.close()
  }

  public func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    defer { onEvent?() }
    if aStream === channel.inputStream {
      inputEvents.append(eventCode)
      if eventCode == .hasBytesAvailable { read() }
    } else {
      outputEvents.append(eventCode)
      if eventCode == .hasSpaceAvailable { write() }
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
    if count > 0 { received += buffer.prefix(count) }
  }

  private func write() {
    guard written < toWrite.count else { return }
    written += toWrite[written...].withUnsafeBufferPointer { rest in
      max(0, channel.outputStream.write(rest.baseAddress!, maxLength: rest.count))
    }
  }
}

/// A thread whose run loop runs, as a program's own would.
public final class RunLoopThread: @unchecked Sendable {
  private let ready = DispatchSemaphore(value: 0)
  private var runLoop: RunLoop!
  private let keepsRunning = Atomic(true)

  public init() {
    let thread = Thread { [self] in
      let current = RunLoop.current
      runLoop = current
      // A run loop with nothing to wait for returns at once.
      let idle = Timer(timeInterval: 3_600, repeats: true) { _ in }
      current.add(idle, forMode: .default)
      ready.signal()
      while keepsRunning.load(ordering: .acquiring) {
        _ = current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
      }
      idle.invalidate()
    }
    thread.start()
    ready.wait()
  }

  /// From any thread.
  public var loop: RunLoop { runLoop }

  public func stop() { keepsRunning.store(false, ordering: .releasing) }
}

extension CBL2CAPChannel {
  public var streams: [Stream] { [inputStream as InputStream, outputStream as OutputStream] }
}

extension InputStream {
  /// What can be read without waiting.
  public func readAvailable(atMost limit: Int = .max) -> [UInt8] {
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while octets.count < limit, hasBytesAvailable {
      let count = read(&buffer, maxLength: min(buffer.count, limit - octets.count))
      if count <= 0 { break }
      octets += buffer.prefix(count)
    }
    return octets
  }
}

extension OutputStream {
  /// How many of `octets` could be written without waiting.
  public func writeAvailable(_ octets: some Collection<UInt8>) -> Int {
    let octets = Array(octets)
    var written = 0
    while written < octets.count, hasSpaceAvailable {
      let count = octets[written...].withUnsafeBufferPointer { write($0.baseAddress!, maxLength: $0.count) }
      if count <= 0 { break }
      written += count
    }
    return written
  }
}
