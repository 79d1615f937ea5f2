import CMicroHTTP

extension WebResponse {
  var stream: EventStream? { if case .stream(let stream) = content { stream } else { nil } }

  /// Octets of memory that it takes until it was sent.
  var size: Int { if case .octets(let octets) = content { octets.count } else { 0 } }

  /// The response as libmicrohttpd has it, without headers.
  func made(for connection: OpaquePointer) -> OpaquePointer? {
    switch content {
    case .octets(let octets):
      return octets.withUnsafeBytes { octets in
        MHD_create_response_from_buffer(
          octets.count, UnsafeMutableRawPointer(mutating: octets.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .stream(let stream):
      let feed = Unmanaged.passRetained(EventFeed(stream, connection))
      let made = MHD_create_response_from_callback(
        micro_http_unknown_size, 16_384,
        { context, _, buffer, size in
          guard let context, let buffer else { return micro_http_end_of_stream }
          let feed = Unmanaged<EventFeed>.fromOpaque(context).takeUnretainedValue()
          return buffer.withMemoryRebound(to: UInt8.self, capacity: size) { octets in
            feed.stream.read(into: UnsafeMutableBufferPointer(start: octets, count: size), for: feed.connection)
          }
        }, feed.toOpaque(),
        { context in
          guard let context else { return }
          Unmanaged<EventFeed>.fromOpaque(context).release()
        })
      if made == nil { feed.release() }
      return made
    }
  }
}

/// A stream and the connection that it goes to.
private final class EventFeed {
  let stream: EventStream
  let connection: OpaquePointer

  init(_ stream: EventStream, _ connection: OpaquePointer) {
    self.stream = stream
    self.connection = connection
  }
}
