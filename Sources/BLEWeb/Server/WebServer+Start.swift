import CMicroHTTP
import Foundation

extension WebServer {
  /// TLS 1.2 and 1.3 with 128 bits and more; a key that is stolen later does not decrypt what was recorded before.
  private static let priorities = Array("SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA\0".utf8)

  /// - Parameter context: the server, which libmicrohttpd's callbacks get.
  /// - Returns: `nil` where libmicrohttpd refuses; the listener is closed.
  static func start(
    _ listener: Int32, _ identity: Identity?, _ limits: Limits, _ context: UnsafeMutableRawPointer
  ) -> OpaquePointer? {
    // Whether libmicrohttpd closes it when it refuses depends on the reason. So it gets a copy.
    let copy = fcntl(listener, F_DUPFD_CLOEXEC, 0)
    let socket = micro_http_inode(listener)
    close(listener)
    guard copy >= 0 else { return nil }
    let texts = identity.map { [$0.certificate + [0], $0.key + [0], priorities] } ?? []
    let daemon = texts.withPointers { texts in
      var options = options(copy, limits, context)
      if texts.count == 3 {
        options.append(MHD_OptionItem(.HTTPS_MEM_CERT, 0, texts[0]))
        options.append(MHD_OptionItem(.HTTPS_MEM_KEY, 0, texts[1]))
        options.append(MHD_OptionItem(.HTTPS_PRIORITIES, 0, texts[2]))
      }
      options.append(MHD_OptionItem(.END, 0))
      var flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ITC.rawValue
      if !texts.isEmpty { flags |= MHD_USE_TLS.rawValue }
      return micro_http_start(
        flags,
        { context, connection, url, method, _, data, size, place in
          guard let context, let connection, let url, let method, let size, let pointer = place?.pointee else {
            return .NO
          }
          let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
          return Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue()
            .serve(exchange, connection, url, method, UnsafeRawBufferPointer(start: data, count: size.pointee), size)
        }, context, options)
    }
    if daemon == nil, micro_http_inode(copy) == socket { close(copy) }
    return daemon
  }

  private static func options(
    _ listener: Int32, _ limits: Limits, _ context: UnsafeMutableRawPointer
  ) -> [MHD_OptionItem] {
    let began:
      @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
        -> UnsafeMutableRawPointer? = { context, target, connection in
          guard let context, let target, let connection else { return nil }
          let server = Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue()
          let octets = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
          server.connections.enter(.receiving, UInt(bitPattern: connection))
          return Unmanaged.passRetained(Exchange(octets, on: connection, of: server)).toOpaque()
        }
    let completed: MHD_RequestCompletedCallback = { _, _, exchange, _ in
      guard let exchange, let pointer = exchange.pointee else { return }
      exchange.pointee = nil
      Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().completed()
    }
    let connected: MHD_NotifyConnectionCallback = { context, connection, _, event in
      guard let context, let connection else { return }
      let table = Unmanaged<WebServer>.fromOpaque(context).takeUnretainedValue().connections
      let key = UInt(bitPattern: connection)
      if event == .CONNECTION_NOTIFY_STARTED {
        table.opened(key, socket: micro_http_socket(connection))
      } else {
        table.closed(key)
      }
    }
    return [
      MHD_OptionItem(.LISTEN_SOCKET, Int(listener)), MHD_OptionItem(.CONNECTION_LIMIT, limits.connections),
      MHD_OptionItem(.PER_IP_CONNECTION_LIMIT, limits.connectionsPerAddress),
      MHD_OptionItem(.CONNECTION_MEMORY_LIMIT, limits.headerSize),
      MHD_OptionItem(.CONNECTION_TIMEOUT, Int(limits.idleSeconds)), MHD_OptionItem(.STRICT_FOR_CLIENT, 1),
      MHD_OptionItem(.URI_LOG_CALLBACK, unsafeBitCast(began, to: Int.self), context),
      MHD_OptionItem(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), context),
      MHD_OptionItem(.NOTIFY_CONNECTION, unsafeBitCast(connected, to: Int.self), context),
    ]
  }
}

extension MHD_OptionItem {
  fileprivate init(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) {
    self.init(option: option, value: value, ptr_value: pointer)
  }
}

extension [[UInt8]] {
  /// Calls `body` with copies of the arrays, which live as long as the call.
  fileprivate func withPointers<Result>(_ body: ([UnsafeMutableRawPointer]) -> Result) -> Result {
    let copies = map { octets in
      let copy = UnsafeMutableRawPointer.allocate(byteCount: octets.count, alignment: 1)
      copy.copyMemory(from: octets, byteCount: octets.count)
      return (copy, octets.count)
    }
    defer {
      for (copy, count) in copies {
        // A private key is among them.
        explicit_bzero(copy, count)
        copy.deallocate()
      }
    }
    return body(copies.map(\.0))
  }
}
