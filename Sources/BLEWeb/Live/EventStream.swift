import BLESession
import CMicroHTTP

/// The events for one client, from the threads that have them to the server's, which sends them.
///
/// A client that does not read is dropped when `limit` octets wait for it: it connects again with the number of its
/// last event.
final class EventStream: Sendable {
  private struct State {
    var waiting = Queue<[UInt8]>()
    /// Octets of `waiting`.
    var size = 0
    /// Octets of the first in `waiting` that were sent.
    var sent = 0
    var isEnded = false
    /// The connection, while the server has stopped asking for more.
    var suspended: UInt?
  }

  private let state = Guarded(State())
  private let limit: Int

  static let usualLimit = 1 << 20

  init(limit: Int = usualLimit) { self.limit = limit }

  var isEnded: Bool { state.with { $0.isEnded } }
  /// Octets that wait for the client.
  var size: Int { state.with { $0.size } }

  /// Adds an event as it is sent. Streams that wait for the same event have its octets together.
  func send(_ octets: [UInt8]) {
    state.with { state in
      guard !state.isEnded else { return }
      if state.size + octets.count > limit {
        // A part of an event that was sent is ignored by the client: only an empty line completes it.
        state.isEnded = true
        state.waiting.removeAll()
        state.size = 0
      } else {
        state.waiting.append(octets)
        state.size += octets.count
      }
      Self.resume(&state)
    }
  }

  /// A comment, by which the server notices a client that has gone.
  func sendHeartbeat() { send(Self.heartbeat) }

  private static let heartbeat = Array(":\n\n".utf8)

  func end() {
    state.with { state in
      state.isEnded = true
      Self.resume(&state)
    }
  }

  /// Called by the server's thread: copies what there is, or suspends the connection until there is something.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>, for connection: OpaquePointer) -> Int {
    state.with { state in
      let count = Self.take(&state, buffer)
      if count > 0 { return count }
      if state.isEnded { return micro_http_end_of_stream }
      state.suspended = UInt(bitPattern: connection)
      MHD_suspend_connection(connection)
      return 0
    }
  }

  private static func take(_ state: inout State, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var count = 0
    while count < buffer.count, let first = state.waiting.first {
      let part = first[state.sent...].prefix(buffer.count - count)
      _ = UnsafeMutableBufferPointer(rebasing: buffer[count...]).update(fromContentsOf: part)
      count += part.count
      state.sent += part.count
      if state.sent == first.count {
        state.waiting.removeFirst()
        state.sent = 0
      }
    }
    state.size -= count
    return count
  }

  private static func resume(_ state: inout State) {
    guard let connection = state.suspended.flatMap(OpaquePointer.init(bitPattern:)) else { return }
    state.suspended = nil
    MHD_resume_connection(connection)
  }
}
