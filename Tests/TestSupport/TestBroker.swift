import Foundation
import Testing

/// Debian's mosquitto on a port of the loopback interface, in a folder of its own. It ends with this object, by its process's number.
///
/// `@unchecked Sendable`: `process` is behind its lock.
public final class TestBroker: @unchecked Sendable {
  private static let program = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  /// Whether there is one to test with.
  public static var isInstalled: Bool { program != nil }
  /// Why tests are skipped where there is none.
  public static let isMissing: Comment = "there is no mosquitto: Tools/prepare swift installs it"

  public let folder: URL
  public let port: UInt16
  private let lock = NSLock()
  private var process: pid_t?

  /// Starts it, and returns when it listens.
  /// - Parameters:
  ///   - settings: further lines of its configuration; `FOLDER` in them is its folder.
  ///   - isDurable: whether it writes each change to its folder at once, so that it may be killed. It takes milliseconds for each message.
  public init(_ settings: String = "allow_anonymous true", isDurable: Bool = false) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("broker-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try Self.freePort()
    try """
    listener \(port) 127.0.0.1
    persistence true
    persistence_location \(folder.path)/
    autosave_interval \(isDurable ? 1 : 3_600)
    autosave_on_changes \(isDurable)
    max_inflight_messages 0
    max_queued_messages 0
    user root
    log_dest stderr
    log_type error
    log_type warning
    log_type notice
    log_type information
    \(settings.replacingOccurrences(of: "FOLDER", with: folder.path))

    """.write(to: folder.appendingPathComponent("mosquitto.conf"), atomically: true, encoding: .utf8)
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts it again, on the same port with the same folder.
  public func start() throws {
    let output = Pipe()
    let process = try Self.spawn(
      [try #require(Self.program), "-c", folder.appendingPathComponent("mosquitto.conf").path],
      output.fileHandleForWriting.fileDescriptor)
    lock.withLock { self.process = process }
    try output.fileHandleForWriting.close()
    var text = ""
    while !text.contains(" running") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "mosquitto does not start: \(text)")
      text += String(decoding: data, as: UTF8.self)
    }
    // What it says further is read, so that it never waits for its reader.
    Thread.detachNewThread { while !output.fileHandleForReading.availableData.isEmpty {} }
  }

  /// Not by `Process`, whose children inherit what a test's thread blocks: all signals.
  private static func spawn(_ words: [String], _ output: Int32) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, output, descriptor)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var process: pid_t = 0
    try #require(posix_spawn(&process, words[0], &actions, &attributes, arguments, environ) == 0)
    return process
  }

  /// Ends it as a service's manager does: it writes what it has to its folder.
  public func stop() { end(SIGTERM) }
  /// Ends it in whatever it is doing.
  public func kill() { end(SIGKILL) }
  /// It neither reads nor writes until `resume()`, and its connections stay.
  public func suspend() { if let process = lock.withLock({ process }) { Foundation.kill(process, SIGSTOP) } }
  public func resume() { if let process = lock.withLock({ process }) { Foundation.kill(process, SIGCONT) } }

  /// What it has used since its start: processor time, and memory in octets (proc_pid_stat(5)).
  public func use() throws -> (processor: Duration, memory: Int) {
    let process = try #require(lock.withLock { self.process })
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The program's name, which may have spaces in it, ends with the last parenthesis.
    let fields = try #require(text.split(separator: ")").last).split(separator: " ")
    try #require(fields.count > 21)
    let ticks = (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    let pages = Int(fields[21]) ?? 0
    return (.seconds(ticks) / sysconf(Int32(_SC_CLK_TCK)), pages * sysconf(Int32(_SC_PAGESIZE)))
  }

  private func end(_ signal: Int32) {
    let process = lock.withLock {
      defer { self.process = nil }
      return self.process
    }
    guard let process else { return }
    Foundation.kill(process, signal)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// A port of the loopback interface that nothing listens on, and that the kernel gives to no client (ip(7), `ip_local_port_range`): a
  /// broker that is started again finds it free, and a client that tries to reach it meanwhile does not meet itself.
  public static func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 20_000..<32_000)
      if isFree(port) { return port }
    }
    throw POSIXError(.EADDRINUSE)
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
  }
}
