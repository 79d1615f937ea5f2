extension WebServer {
  /// What clients may take of this process.
  struct Limits: Sendable {
    /// All connections. Before they are used up, those that have waited longest for a request are closed.
    var connections = 256
    /// Connections from one client address; 0: as many as there are at all, because on the loopback address all
    /// clients have the same.
    var connectionsPerAddress = 0
    /// Octets for the request line and the headers of a connection.
    var headerSize = 32_768
    /// Octets of a body.
    var bodySize = 1 << 20
    /// Seconds without an octet after which a connection is closed. Streams are not counted: they have a heartbeat.
    var idleSeconds: UInt32 = 30
    /// How long a client may take from its connection, or its request line, to the end of the request.
    var requestTime = Duration.seconds(30)
    /// How long a client may take to read a response.
    var responseTime = Duration.seconds(60)
    /// Requests that are worked on at the same time.
    var working = 64
    /// Octets of all responses that are being sent. One alone may be larger.
    var responseSize = 64 << 20
    /// Requests of one client that change something.
    var changes = Rate(burst: 100, perSecond: 50)
  }
}

/// How often something may happen: `burst` times at once, and in the long run `perSecond`.
struct Rate: Sendable {
  let burst: Double
  let perSecond: Double
}
