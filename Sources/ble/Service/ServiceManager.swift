import BLEDefaultStack
import CoreFoundation
import Foundation

/// Tells systemd when a command is ready, and again and again that it is alive (sd_notify(3)), and takes its request to reload. Does nothing where
/// it was not started by systemd.
///
/// A sign of life passes all that would stand still in a program that hangs: the loop of each adapter, and the main queue.
@MainActor final class ServiceManager {
  /// Takes over what has changed in the files of the service; where it throws, all is as it was.
  typealias Reload = @MainActor () async throws(ToolError) -> Void
  /// Whether what the command has besides adapters and the main queue moves.
  typealias Life = @Sendable () async -> Bool

  private let socket: NotifySocket?
  /// In seconds; `nil` without a watchdog.
  private let interval: Double?
  private var watching: Task<Void, Never>?
  private var status = ""
  private var reload: Reload?
  private var reloading: Task<Void, Never>?
  private var isAskedAgain = false
  private var hangUp: (any DispatchSourceSignal)?

  /// Whether systemd has started this program.
  var isRun: Bool { socket != nil }

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    socket = environment["NOTIFY_SOCKET"].flatMap(NotifySocket.init)
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    // Twice in the time that systemd waits.
    interval = isMeant ? environment["WATCHDOG_USEC"].flatMap(Double.init).map { $0 / 2e6 } : nil
    // Programs that this one starts are not the service.
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
  }

  /// The service works from now on.
  /// - Parameters:
  ///   - status: what it does, for `systemctl status`.
  ///   - reload: what SIGHUP has it do, which the unit sends for `systemctl reload`.
  ///   - isAlive: asked before each sign of life, which is not given without its consent.
  func ready(_ status: String, reload: Reload? = nil, isAlive: @escaping Life = { true }) {
    guard let socket else { return }
    (self.status, self.reload) = (status, reload)
    takeHangUps()
    socket.send("READY=1\nSTATUS=\(status.inert)")
    guard let interval, watching == nil, interval > 0 else { return }
    watching = Task { [weak self] in
      while !Task.isCancelled {
        _ = await DefaultStack.counters()
        let isAlive = await isAlive()
        guard self != nil else { return }
        if isAlive { socket.send("WATCHDOG=1") }
        try? await Task.sleep(for: .seconds(interval))
      }
    }
  }

  /// The service ends, which may take some seconds.
  func stopping() {
    watching?.cancel()
    reload = nil
    socket?.send("STOPPING=1")
  }

  // MARK: Reload

  /// A service has no terminal that could hang up: the signal asks for a reload.
  private func takeHangUps() {
    guard hangUp == nil else { return }
    let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.startReload() } }
    source.resume()
    hangUp = source
  }

  /// Reloads follow one another: the files may have changed again by the time of a second request.
  func startReload() {
    guard reloading == nil else { return isAskedAgain = true }
    reloading = Task { [weak self] in
      repeat {
        guard let self else { return }
        isAskedAgain = false
        await reloadOnce()
      } while self?.isAskedAgain == true
      self?.reloading = nil
    }
  }

  private func reloadOnce() async {
    guard let reload, let socket else { return }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    socket.send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)")
    var told = status
    do throws(ToolError) {
      try await reload()
    } catch {
      Output.complain("Not reloaded: \(error.message)", .error, event: "not-reloaded")
      told += "; not reloaded, see its log"
    }
    socket.send("READY=1\nSTATUS=\(told.inert)")
  }
}
