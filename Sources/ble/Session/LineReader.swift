import Dispatch
import Foundation

/// Lines from a descriptor: what is typed or piped in, or what a child process says.
@MainActor final class LineReader {
  private let descriptor: Int32
  private var source: (any DispatchSourceRead)?
  private var pending: [UInt8] = []
  private let onLine: (String) -> Void
  private let onEnd: () -> Void

  /// A line longer than this is cut.
  private static let longestLine = 65_536

  /// Begins to read; the descriptor stays the caller's. `onEnd` is called once, at the end of the input.
  init(_ descriptor: Int32, onLine: @escaping (String) -> Void, onEnd: @escaping () -> Void) {
    self.descriptor = descriptor
    self.onLine = onLine
    self.onEnd = onEnd
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
    self.source = source
    source.resume()
  }

  func stop() {
    source?.cancel()
    source = nil
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      finishLine()
      stop()
      return onEnd()
    }
    for octet in buffer.prefix(count) {
      if octet == 0x0A {
        finishLine()
      } else if pending.count < Self.longestLine {
        pending.append(octet)
      }
    }
  }

  private func finishLine() {
    if pending.last == 0x0D { pending.removeLast() }
    // What is not UTF-8 is repaired: it was meant as text.
    let line = String(decoding: pending, as: UTF8.self)
    pending.removeAll(keepingCapacity: true)
    if !line.isEmpty { onLine(line) }
  }
}
