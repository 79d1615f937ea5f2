import Dispatch
import Foundation

/// Reads a descriptor of any kind: terminal, pipe, file or device. A separate thread blocks in `read`, because Dispatch sources do not
/// support all of these.
@MainActor final class DescriptorReader {
  private let onOctets: (ArraySlice<UInt8>) -> Void
  private let onEnd: () -> Void
  private var isStopped = false
  private let gate = Gate()

  /// Begins to read; the caller keeps ownership of the descriptor. `onEnd` is called once, at the end of the input.
  init(_ descriptor: Int32, onOctets: @escaping (ArraySlice<UInt8>) -> Void, onEnd: @escaping () -> Void) {
    self.onOctets = onOctets
    self.onEnd = onEnd
    Thread.detachNewThread { [weak self, gate] in
      while true {
        gate.pass()
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        let octets = buffer.prefix(max(0, count))
        // Waiting for the main queue keeps a fast writer from filling memory.
        let goesOn = DispatchQueue.main.sync { MainActor.assumeIsolated { self?.take(octets) ?? false } }
        if !goesOn { return }
      }
    }
  }

  /// Stops the callbacks.
  func stop() {
    isStopped = true
    gate.isOpen = true
  }

  /// Suspends reading, so that the writer blocks.
  func pause() { if !isStopped { gate.isOpen = false } }
  func resume() { gate.isOpen = true }

  /// Returns whether there may be more.
  private func take(_ octets: ArraySlice<UInt8>) -> Bool {
    if isStopped { return false }
    if octets.isEmpty {
      stop()
      onEnd()
      return false
    }
    onOctets(octets)
    return true
  }
}

/// Lets a thread pass or wait. `@unchecked Sendable`: the state is protected by the condition.
private final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var opened = true

  var isOpen: Bool {
    get { condition.withLock { opened } }
    set {
      condition.withLock {
        opened = newValue
        condition.broadcast()
      }
    }
  }

  func pass() { condition.withLock { while !opened { condition.wait() } } }
}
