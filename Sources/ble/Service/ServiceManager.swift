import BLEDefaultStack
import Foundation

/// Tells systemd when a command is ready, and again and again that it is alive (sd_notify(3)). Does nothing where it was not started by systemd.
///
/// A sign of life passes all that would stand still in a program that hangs: the loop of each adapter, and the main queue.
@MainActor final class ServiceManager {
  private let socket: String?
  /// In seconds; `nil` without a watchdog.
  private let interval: Double?
  private var watching: Task<Void, Never>?

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    // Twice in the time that systemd waits.
    interval = isMeant ? environment["WATCHDOG_USEC"].flatMap(Double.init).map { $0 / 2e6 } : nil
    // Programs that this one starts are not the service.
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
  }

  /// The service works from now on.
  /// - Parameter status: what it does, for `systemctl status`.
  func ready(_ status: String) {
    send("READY=1\nSTATUS=\(status.inert)")
    guard let interval, socket != nil, watching == nil, interval > 0 else { return }
    watching = Task { [weak self] in
      while !Task.isCancelled {
        _ = await DefaultStack.counters()
        guard let self else { return }
        send("WATCHDOG=1")
        try? await Task.sleep(for: .seconds(interval))
      }
    }
  }

  /// The service ends, which may take some seconds.
  func stopping() {
    watching?.cancel()
    send("STOPPING=1")
  }

  private func send(_ text: String) {
    guard let socket else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(socket.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: path)
      // A name of the kernel's own instead of a file.
      if path.first == UInt8(ascii: "@") { place[0] = 0 }
    }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count + (path.first == UInt8(ascii: "@") ? 0 : 1))
    let octets = Array(text.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, octets, octets.count, 0, $0, size)
      }
    }
  }
}
