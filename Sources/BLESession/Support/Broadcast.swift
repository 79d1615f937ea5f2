/// Says things to everybody who listens, in order. On one queue only; each listener has a buffer of its own.
final class Broadcast<Element: Sendable> {
  private struct Listener {
    let tell: (Element) -> Void
    let finish: () -> Void
  }

  private var listeners: [Int: Listener] = [:]
  private var next = 0

  var isHeard: Bool { !listeners.isEmpty }

  /// Adds a listener; gives what removes it again.
  func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
    add(tell: { continuation.yield($0) }, finish: { continuation.finish() })
  }

  /// The same for a listener without a buffer: it is told at that very moment.
  func add(tell: @escaping (Element) -> Void, finish: @escaping () -> Void) -> Int {
    defer { next += 1 }
    listeners[next] = Listener(tell: tell, finish: finish)
    return next
  }

  func remove(_ number: Int) { listeners[number] = nil }

  func send(_ element: Element) {
    for (_, listener) in listeners { listener.tell(element) }
  }

  func finish() {
    let all = listeners.values
    listeners = [:]
    for listener in all { listener.finish() }
  }
}
