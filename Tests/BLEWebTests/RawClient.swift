import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BLEWeb

/// A connection to a server of this process that sends what no browser would send.
///
/// It waits on a queue of its own: a test that waits on one of Swift's few threads would keep it from the server.
final class RawClient: Sendable {
  private let socket: Int32
  private let queue = DispatchQueue(label: "raw client")
  /// What was read beyond the last response.
  private let rest = Mutex<[UInt8]>([])
  private let isOpen = Mutex(true)

  /// Nobody listens there.
  struct Refused: Error {}

  struct Response: Sendable {
    var head = ""
    var body = ""
    var status: Int { Int(head.dropFirst(9).prefix(3)) ?? 0 }

    func header(_ name: String) -> String? {
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
    }
  }

  /// - Parameter receiving: octets that may wait for this client in the kernel.
  init(_ port: UInt16, receiving: Int32? = nil) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    try #require(socket >= 0, "\(errno)")
    if var receiving { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiving, socklen_t(MemoryLayout<Int32>.size)) }
    // A test that would wait for ever fails.
    var guardTime = timeval(tv_sec: longestWait, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &guardTime, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { close() }
    if result != 0 { throw Refused() }
  }

  deinit { close() }

  func close() {
    let isFirst = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if isFirst { Glibc.close(socket) }
  }

  /// - Returns: whether the server takes it all.
  @discardableResult
  func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  @discardableResult
  func send(_ octets: [UInt8]) async -> Bool {
    await waiting { [socket] in
      var count = 0
      while count < octets.count {
        let sent = octets.withUnsafeBytes {
          Glibc.send(socket, $0.baseAddress.map { $0 + count }, $0.count - count, Int32(MSG_NOSIGNAL))
        }
        if sent <= 0 { return false }
        count += sent
      }
      return true
    }
  }

  /// Everything until the server closes the connection.
  func readAll() async throws -> String {
    var octets = take()
    while true {
      let more = try await read()
      if more.isEmpty { return String(decoding: octets, as: UTF8.self) }
      octets += more
    }
  }

  /// Everything up to and with `text`.
  func read(until text: String) async throws -> String {
    var found = take()
    while true {
      if let end = Self.end(of: Array(text.utf8), in: found) {
        rest.withLock { $0 = Array(found[end...]) }
        return String(decoding: found[..<end], as: UTF8.self)
      }
      let more = try await read()
      try #require(!more.isEmpty, "the server has closed after \(String(decoding: found, as: UTF8.self))")
      found += more
    }
  }

  private static func end(of text: [UInt8], in octets: [UInt8]) -> Int? {
    Data(octets).range(of: Data(text))?.upperBound
  }

  /// One response whose length is told.
  func response(to method: String = "GET") async throws -> Response {
    var response = Response(head: try await read(until: "\r\n\r\n"))
    guard method != "HEAD", let length = response.header("Content-Length").flatMap(Int.init) else { return response }
    var body = take()
    while body.count < length {
      let more = try await read()
      try #require(!more.isEmpty, "the server has closed in the body")
      body += more
    }
    response.body = String(decoding: body.prefix(length), as: UTF8.self)
    rest.withLock { $0 = Array(body.dropFirst(length)) }
    return response
  }

  private func take() -> [UInt8] {
    rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
  }

  /// Some octets; none where the server has closed.
  private func read() async throws -> [UInt8] {
    let (octets, error): ([UInt8], Int32) = await waiting { [socket] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(socket, &buffer, buffer.count, 0)
      return count > 0 ? (Array(buffer.prefix(count)), 0) : ([], count < 0 ? errno : 0)
    }
    try #require(error == 0 || error == ECONNRESET, "reading failed or has taken too long: \(error)")
    return octets
  }

  private func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
  }
}
