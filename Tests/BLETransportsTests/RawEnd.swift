import Foundation
import Glibc

/// The other end of a transport, octet by octet, on threads of its own: a peer that can violate the protocol.
struct RawEnd: Sendable {
  let descriptor: Int32

  /// Connects to a port of this machine.
  static func connect(port: UInt16) -> RawEnd? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return connect(AF_INET, to: address)
  }

  /// Connects to a socket file.
  static func connect(path: String) -> RawEnd? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return connect(AF_UNIX, to: address)
  }

  /// - Parameter address: a socket address of that family.
  private static func connect<Address>(_ family: Int32, to address: Address) -> RawEnd? {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else {
      Glibc.close(descriptor)
      return nil
    }
    return RawEnd(descriptor: descriptor)
  }

  /// A pseudo terminal; the path is that of the line that a program opens.
  static func terminal() -> (end: RawEnd, path: String)? {
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    // Linux' numbers of TIOCSPTLCK and TIOCGPTN: unlock the line, read its number.
    var lock: Int32 = 0
    var number: Int32 = 0
    guard ioctl(descriptor, 0x4004_5431, &lock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else { return nil }
    return (RawEnd(descriptor: descriptor), "/dev/pts/\(number)")
  }

  func send(_ octets: [UInt8]) {
    var sent = 0
    while sent < octets.count {
      let count = octets[sent...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Waits for `count` octets, or for the end, where fewer came.
  func receive(_ count: Int) async -> [UInt8] {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var received: [UInt8] = []
        while received.count < count {
          var buffer = [UInt8](repeating: 0, count: count - received.count)
          let got = Glibc.read(descriptor, &buffer, buffer.count)
          if got <= 0 { break }
          received += buffer[..<got]
        }
        continuation.resume(returning: received)
      }
    }
  }

  func close() { Glibc.close(descriptor) }
}
