/// Sends elements to listeners, in the order in which they were added. Used on one queue only; each listener has its own buffer.
package final class Broadcast<Element: Sendable> {
  private struct Listener {
    let number: Int
    let tell: (Element) -> Void
    let finish: () -> Void
  }

  private var listeners: [Listener] = []
  private var next = 0

  var hasListeners: Bool { !listeners.isEmpty }

  /// Adds a listener and returns the number for `remove`.
  package func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
    add(tell: { continuation.yield($0) }, finish: { continuation.finish() })
  }

  /// Adds a listener without a buffer: it is called within `send`.
  package func add(tell: @escaping (Element) -> Void, finish: @escaping () -> Void) -> Int {
    defer { next += 1 }
    listeners.append(Listener(number: next, tell: tell, finish: finish))
    return next
  }

  package func remove(_ number: Int) { listeners.removeAll { $0.number == number } }

  func send(_ element: Element) {
    for listener in listeners { listener.tell(element) }
  }

  func finish() {
    let all = listeners
    listeners = []
    for listener in all { listener.finish() }
  }
}
