/// Says things to everybody who listens, in order. On one queue only; each listener has a buffer of its own.
final class Broadcast<Element: Sendable> {
  private var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  private var next = 0

  var isHeard: Bool { !listeners.isEmpty }

  /// Adds a listener; gives what removes it again.
  func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
    defer { next += 1 }
    listeners[next] = continuation
    return next
  }

  func remove(_ number: Int) { listeners[number] = nil }

  func send(_ element: Element) {
    for (_, listener) in listeners { listener.yield(element) }
  }

  func finish() {
    let all = listeners.values
    listeners = [:]
    for listener in all { listener.finish() }
  }
}
