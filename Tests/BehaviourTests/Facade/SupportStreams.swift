import CoreBluetooth
import Synchronization

/// A thread whose run loop runs, and a delegate on it that records the events of streams.
///
/// `@unchecked Sendable`: the records of the thread are looked at while the world is not running.
final class StreamThread: NSObject, StreamDelegate, @unchecked Sendable {
  private let ready = DispatchSemaphore(value: 0)
  private var runLoop = RunLoop.main
  private let isWanted = Atomic(true)
  private(set) var events: [(stream: Stream, event: Stream.Event)] = []
  private(set) var received = Data()

  override init() {
    super.init()
    let thread = Thread { [self] in
      runLoop = RunLoop.current
      // A run loop with nothing to wait for returns at once.
      let idle = Timer(timeInterval: 3_600, repeats: true) { _ in }
      runLoop.add(idle, forMode: .default)
      ready.signal()
      while isWanted.load(ordering: .acquiring) {
        _ = runLoop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
      }
      idle.invalidate()
    }
    thread.start()
    ready.wait()
  }

  func stop() { isWanted.store(false, ordering: .releasing) }

  /// Both streams of `channel`, scheduled and opened.
  func use(_ channel: CBL2CAPChannel) {
    for stream in [channel.inputStream, channel.outputStream] as [Stream] {
      stream.delegate = self
      stream.schedule(in: runLoop, forMode: .default)
      stream.open()
    }
  }

  func events(of stream: Stream) -> [Stream.Event] { events.filter { $0.stream === stream }.map(\.event) }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    events.append((aStream, eventCode))
    guard eventCode == .hasBytesAvailable, let input = aStream as? InputStream else { return }
    received += input.available()
  }
}

extension InputStream {
  /// What can be read without waiting.
  func available() -> Data {
    var octets = Data()
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while hasBytesAvailable {
      let count = read(&buffer, maxLength: buffer.count)
      if count <= 0 { break }
      octets += buffer.prefix(count)
    }
    return octets
  }
}

extension OutputStream {
  /// How many of `octets` could be written without waiting.
  func write(_ octets: Data) -> Int {
    let octets = [UInt8](octets)
    return write(octets, maxLength: octets.count)
  }
}
