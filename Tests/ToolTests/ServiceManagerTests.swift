import Foundation
import Testing

@testable import ble

@Suite("Signs of life for systemd", .serialized, .timeLimit(.minutes(1)))
@MainActor struct ServiceManagerTests {
  /// The socket that systemd would listen on.
  private final class Manager {
    let path: String
    private let socket: Int32

    init() throws {
      path = "/tmp/ble-notify-\(UInt32.random(in: .min ... .max))"
      socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
    }

    deinit {
      close(socket)
      unlink(path)
    }

    /// The next message. The main queue goes on meanwhile.
    func next() async throws -> String {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { [socket] in
          var buffer = [UInt8](repeating: 0, count: 4_096)
          let count = recv(socket, &buffer, buffer.count, 0)
          if count < 0 {
            continuation.resume(throwing: POSIXError(.EIO))
          } else {
            continuation.resume(returning: String(decoding: buffer[..<count], as: UTF8.self))
          }
        }
      }
    }
  }

  @Test("I15.3 a command that is ready says so, gives signs of life, and says when it ends")
  func life() async throws {
    let systemd = try Manager()
    let service = ServiceManager(environment: ["NOTIFY_SOCKET": systemd.path, "WATCHDOG_USEC": "20000"])
    service.ready("Listening\u{1B}[2J")
    #expect(try await systemd.next() == "READY=1\nSTATUS=Listening\\u{1B}[2J")
    for _ in 0..<3 { #expect(try await systemd.next() == "WATCHDOG=1") }
    service.stopping()
    var last = try await systemd.next()
    while last == "WATCHDOG=1" { last = try await systemd.next() }
    #expect(last == "STOPPING=1")
  }

  @Test("I15.3 the watchdog of another process, and none, ask for no signs of life")
  func noWatchdog() async throws {
    for environment in [["WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "nonsense"], [:]] {
      let systemd = try Manager()
      let service = ServiceManager(environment: environment.merging(["NOTIFY_SOCKET": systemd.path]) { $1 })
      service.ready("Listening")
      #expect(try await systemd.next().hasPrefix("READY=1"))
      service.stopping()
      #expect(try await systemd.next() == "STOPPING=1")
    }
  }

  @Test(
    "I15.3 unusable addresses are not used",
    arguments: ["relative", "", "/" + String(repeating: "x", count: 200), "/nonexistent/socket"])
  func unusable(address: String) {
    let service = ServiceManager(environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000"])
    service.ready("Listening")
    service.stopping()
  }
}
