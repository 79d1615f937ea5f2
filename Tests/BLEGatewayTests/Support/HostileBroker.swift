import BLESession
import Foundation
import TestSupport
import Testing

/// A server that says what a test tells it to, on the loopback interface.
///
/// `@unchecked Sendable`: its descriptors are used by its own threads, and closed by `deinit` only.
final class HostileBroker: @unchecked Sendable {
  let port: UInt16
  private let listener: Int32
  private let count = Guarded(0)

  /// How many clients have come.
  var clients: Int { count.with { $0 } }

  /// - Parameter serve: called for each client on a thread of its own, with its number from 0; the connection is closed when it returns.
  init(_ serve: @escaping @Sendable (Int, Connection) -> Void) throws {
    let port = try TestBroker.freePort()
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
    }
    try #require(isBound && listen(listener, 64) == 0)
    (self.port, self.listener) = (port, listener)
    Thread.detachNewThread { [count] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        let number = count.with { count -> Int in
          defer { count += 1 }
          return count
        }
        Thread.detachNewThread {
          serve(number, Connection(descriptor: client))
          close(client)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  struct Connection: Sendable {
    let descriptor: Int32

    /// Returns whether all was sent.
    @discardableResult
    func send(_ octets: [UInt8]) -> Bool {
      var rest = octets[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    /// The next packet: its first octet and what follows its length; `nil` at the end.
    func packet() -> (first: UInt8, body: [UInt8])? {
      guard let first = read(1)?.first else { return nil }
      var (length, shift) = (0, 0)
      while let octet = read(1)?.first {
        length |= Int(octet & 0x7F) << shift
        if octet & 0x80 == 0 { return read(length).map { (first, $0) } }
        shift += 7
      }
      return nil
    }

    private func read(_ count: Int) -> [UInt8]? {
      var octets = [UInt8](repeating: 0, count: count)
      var place = 0
      while place < count {
        let found = octets.withUnsafeMutableBytes {
          recv(descriptor, $0.baseAddress.map { $0 + place }, count - place, 0)
        }
        if found <= 0 { return nil }
        place += found
      }
      return octets
    }

    /// Waits until the client has closed.
    func untilClosed() { while packet() != nil {} }
  }

  /// CONNACK of MQTT 5 (3.2) that accepts.
  static let accepted: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]
  /// CONNACK of MQTT 3.1.1 with a return code.
  static func acknowledgement(_ code: UInt8) -> [UInt8] { [0x20, 0x02, 0x00, code] }
}
