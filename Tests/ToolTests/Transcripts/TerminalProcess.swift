import Foundation
import Testing

/// A program on a terminal of its own: a session whose controlling terminal is a pseudo-terminal, so that Ctrl-C, the size
/// and the end of the terminal reach it as they do in a window. Nothing here sleeps: every wait is for visible output.
final class TerminalProcess: Sendable {
  /// The state of a reader; `@unchecked`: touched under its condition only.
  private final class Record: @unchecked Sendable {
    let condition = NSCondition()
    var model: TerminalModel
    var octets: [UInt8] = []
    var isClosed = false
    var status: Int32?
    /// The terminal's other end; -1 once it is closed.
    var master: Int32

    init(_ model: TerminalModel, master: Int32) {
      self.model = model
      self.master = master
    }
  }

  /// TIOCSPTLCK and TIOCGPTN.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  private let record: Record
  private let title: String
  let identifier: pid_t

  init(
    _ executable: URL, _ arguments: [String], environment: [String: String], columns: Int, rows: Int
  ) throws {
    title = ([executable.lastPathComponent] + arguments).joined(separator: " ")
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // What `unlockpt` and `ptsname` do: they are not imported into Swift.
    var (locked, number): (CInt, CInt) = (0, 0)
    let isReady =
      master >= 0 && ioctl(master, Self.setLock, &locked) == 0 && ioctl(master, Self.getNumber, &number) == 0
    try #require(isReady, "there is no pseudo-terminal: \(String(cString: strerror(errno)))")
    Self.setSize(of: master, columns, rows)
    let path = "/dev/pts/\(number)"
    record = Record(TerminalModel(columns: columns, rows: rows), master: master)
    do {
      identifier = try Self.spawn(executable.path, arguments, environment, terminal: path)
    } catch {
      close(master)
      throw error
    }
    read(master)
    awaitEnd()
  }

  /// A new session takes the first terminal that it opens as its controlling one.
  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], terminal: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    // Inherited pipes of processes that others are just starting: their readers would wait for the end of this one, too.
    for descriptor in 3..<Int32(getdtablesize()) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // POSIX_SPAWN_SETSID of the GNU C library.
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(&attributes, Int16(newSession | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, path, &actions, &attributes, &words, &variables)
    try #require(result == 0, "\(path) could not be started: \(String(cString: strerror(result)))")
    return identifier
  }

  private func read(_ master: Int32) {
    let record = record
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = Foundation.read(master, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        // The end of a terminal is an error.
        guard count > 0 else { break }
        record.condition.withLock {
          record.octets += buffer.prefix(count)
          record.model.feed(buffer.prefix(count))
          record.condition.broadcast()
        }
      }
      record.condition.withLock {
        record.master = -1
        record.isClosed = true
        close(master)
        record.condition.broadcast()
      }
    }
  }

  private func awaitEnd() {
    let (record, identifier) = (record, identifier)
    Thread.detachNewThread {
      var information = siginfo_t()
      while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      // From here on its number may belong to another process: no signal may be sent meanwhile.
      record.condition.withLock {
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        let signal = status & 0x7F
        record.status = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        record.condition.broadcast()
      }
    }
  }

  private static func setSize(of master: Int32, _ columns: Int, _ rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// The first result of `find` that is not `nil`; `nil` where the program has ended or the time is over.
  private func wait<Value>(_ seconds: Double, _ find: (Record) -> Value?) -> Value? {
    let deadline = Date().addingTimeInterval(seconds)
    return record.condition.withLock {
      while true {
        if let value = find(record) { return value }
        if !record.condition.wait(until: deadline) { return find(record) }
      }
    }
  }

  // MARK: Output

  /// The terminal as it is now.
  var model: TerminalModel { record.condition.withLock { record.model } }
  /// The lines on the screen now.
  var screen: [String] { model.screen }
  /// All that was written, including escape sequences.
  var octets: [UInt8] { record.condition.withLock { record.octets } }
  /// All that was written as text, without escape sequences and carriage returns.
  var text: String {
    String(decoding: octets, as: UTF8.self)
      .replacing(#/\x{1B}\[[0-9;?]*[@-~]|\x{1B}[78]|\r/#.matchingSemantics(.unicodeScalar), with: "")
  }

  /// For messages.
  var transcript: String { "$ \(title)\n\(model.text)" }

  /// Waits until the terminal satisfies `condition`.
  @discardableResult
  func until(
    _ what: String, within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (TerminalModel) -> Bool
  ) throws -> TerminalModel {
    let found = wait(seconds) { record -> TerminalModel?? in
      if condition(record.model) { return .some(record.model) }
      return record.isClosed ? .some(nil) : nil
    }
    return try #require(
      found ?? nil, "not within \(seconds) s: \(what)\n\(transcript)", sourceLocation: sourceLocation)
  }

  /// Waits until the text is on the screen or has left it at the top.
  @discardableResult
  func see(
    _ text: String, within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TerminalModel {
    try until("'\(text)'", within: seconds, sourceLocation: sourceLocation) { $0.text.contains(text) }
  }

  // MARK: Input

  /// Types; the line discipline treats it as in a window: `\u{3}` is Ctrl-C, `\u{4}` Ctrl-D, `\r` Return.
  func type(_ text: String) {
    record.condition.withLock {
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty, record.master >= 0 {
        let count = rest.withUnsafeBytes { write(record.master, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { return }
        rest = rest.dropFirst(max(0, count))
      }
    }
  }

  /// From now on the window has another size.
  func resize(columns: Int, rows: Int) {
    record.condition.withLock {
      guard record.master >= 0 else { return }
      record.model.resize(columns: columns, rows: rows)
      Self.setSize(of: record.master, columns, rows)
    }
  }

  /// Sends a signal to this one process, if it still runs.
  func send(_ signal: Int32) {
    record.condition.withLock { if record.status == nil { kill(identifier, signal) } }
  }

  /// The exit status, 128 and more for a signal, once it has ended by itself.
  @discardableResult
  func finish(
    within seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int32 {
    let status = wait(seconds) { $0.isClosed ? $0.status : nil }
    let ended = try #require(status, "still running after \(seconds) s:\n\(transcript)", sourceLocation: sourceLocation)
    #expect(!transcript.contains(ToolProcess.brokenOff), sourceLocation: sourceLocation)
    return ended
  }

  /// Kills it, whatever it does.
  func kill9() {
    send(SIGKILL)
    _ = wait(5) { $0.status }
  }

  deinit { send(SIGKILL) }
}
