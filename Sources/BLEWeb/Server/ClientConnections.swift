import Glibc
import Synchronization

/// The connections that the server has, and what each of them does.
///
/// libmicrohttpd closes a connection after a time without an octet. A client that sends or reads one octet at a time
/// never reaches that time, and when such clients hold all connections, no other client is served. So a whole request has
/// a time limit, a response has one too, and when few connections are left, the one idle longest is closed.
final class ClientConnections: Sendable {
  enum Phase: Sendable {
    /// For the request, or for the rest of it.
    case receiving
    /// The server has to do something.
    case working
    case responding
    case streaming(EventStream)
    case closing
  }

  private struct Entry {
    let socket: Int32
    var phase = Phase.receiving
    var since: ContinuousClock.Instant
  }

  private let entries = Mutex<[UInt: Entry]>([:])
  private let limits: WebServer.Limits

  init(_ limits: WebServer.Limits) { self.limits = limits }

  var count: Int { entries.withLock { $0.count } }

  /// A connection was accepted. `socket` is open until `closed` has returned.
  func opened(_ connection: UInt, socket: Int32, at now: ContinuousClock.Instant = .now) {
    entries.withLock { entries in
      entries[connection] = Entry(socket: socket, since: now)
      // One in eight is kept for those who come next.
      guard entries.count > limits.connections - limits.connections / 8 else { return }
      var oldest: (connection: UInt, since: ContinuousClock.Instant)?
      for (key, entry) in entries where key != connection && entry.since < oldest?.since ?? now {
        if case .receiving = entry.phase { oldest = (key, entry.since) }
      }
      if let oldest { Self.close(oldest.connection, &entries) }
    }
  }

  func closed(_ connection: UInt) { entries.withLock { $0[connection] = nil } }

  func enter(_ phase: Phase, _ connection: UInt, at now: ContinuousClock.Instant = .now) {
    entries.withLock { entries in
      if case .closing? = entries[connection]?.phase { return }
      entries[connection]?.phase = phase
      entries[connection]?.since = now
    }
  }

  /// Closes what has taken too long.
  func sweep(at now: ContinuousClock.Instant = .now) {
    entries.withLock { entries in
      for (connection, entry) in entries {
        switch entry.phase {
        case .receiving:
          let passed = now - entry.since
          if passed > limits.requestTime || passed > .seconds(1) && Self.isAbandoned(entry.socket) {
            Self.close(connection, &entries)
          }
        case .responding: if now - entry.since > limits.responseTime { Self.close(connection, &entries) }
        // What it has not yet read is a response that ends.
        case .streaming(let stream):
          if stream.isEnded {
            entries[connection]?.phase = .responding
            entries[connection]?.since = now
          }
        case .working, .closing: break
        }
      }
    }
  }

  /// Whether the client has sent all that it sends, so that the request is never complete. libmicrohttpd 0.9.75 does
  /// not notice it where the end came together with the last octets.
  private static func isAbandoned(_ socket: Int32) -> Bool {
    var octet: UInt8 = 0
    return recv(socket, &octet, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }

  /// libmicrohttpd notices it, and closes the connection.
  private static func close(_ connection: UInt, _ entries: inout [UInt: Entry]) {
    guard let socket = entries[connection]?.socket else { return }
    entries[connection]?.phase = .closing
    shutdown(socket, Int32(SHUT_RDWR))
  }
}
