import Foundation

/// A process that runs worlds for an exploration of this one. It ends at the latest with this process.
///
/// Used by one thread at a time.
final class WorkerProcess {
  /// How a worker ended without an answer.
  struct Death: Sendable {
    /// `nil`: it has exited.
    var signal: Int32?
    var code: Int32 = 0
    /// The last lines on its standard error, without line ends: 16 KiB at the least.
    var lastWords: [String] = []
    /// It was ended because it waited without end for something in front of its call.
    var isGivenUp = false
  }

  enum Answer {
    case report(WorldReport)
    case death(Death)
  }

  /// Octets of standard error that are kept.
  private static let keptWords = 1 << 14

  let number: pid_t
  let socket: LineSocket
  private let errors: Int32
  private var words: [UInt8] = []
  private var isOver = false

  init(number: pid_t, socket: LineSocket, errors: Int32) {
    self.number = number
    self.socket = socket
    self.errors = errors
    _ = fcntl(errors, F_SETFL, O_NONBLOCK)
  }

  deinit {
    if !isOver { _ = bury() }
    close(errors)
  }

  /// The number of looks in a row, ten in a second, at which a worker sleeps that has not come to its call, before it is given up.
  private static let patience = 50

  /// Gives it its call, and waits until it has come there.
  func begin(_ assignment: WorkerAssignment) -> Answer { ask(assignment, patience: Self.patience) }

  /// Lets it run a world, and waits for the end.
  func run(_ order: WorldOrder) -> Answer {
    // What it has written before does not concern this world.
    hear()
    words = []
    return ask(order)
  }

  /// - Parameter patience: `nil` where the worker itself looks after what does not end.
  private func ask(_ message: some Encodable, patience: Int? = nil) -> Answer {
    guard socket.send(message) else { return .death(bury()) }
    var looks = 0
    while true {
      if let report = socket.next(WorldReport.self) { return .report(report) }
      var waiting = [
        pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      // The end of its standard error is not the end of the process.
      let count: nfds_t = hasErrors ? 2 : 1
      let ready = poll(&waiting, count, patience == nil ? -1 : 100)
      if ready < 0, errno != EINTR { return .death(bury()) }
      if ready == 0, let patience {
        looks = ProcessUse.sleeps(number) ? looks + 1 : 0
        guard looks >= patience else { continue }
        var death = bury()
        death.isGivenUp = true
        return .death(death)
      }
      if waiting[1].revents != 0 { hear() }
      // Also where what was read is no report.
      if waiting[0].revents != 0, !socket.read() { return .death(bury()) }
    }
  }

  private var hasErrors = true

  /// Takes what is on its standard error, without waiting.
  private func hear() {
    var octets = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = read(errors, &octets, octets.count)
      if count == 0 { hasErrors = false }
      guard count > 0 else { return }
      words += octets[..<count]
      if words.count > 2 * Self.keptWords { words.removeFirst(words.count - Self.keptWords) }
    }
  }

  /// Ends it, if it has not ended, and releases its entry in the system's table.
  private func bury() -> Death {
    kill(number, SIGKILL)
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
    isOver = true
    hear()
    let lines = String(decoding: words, as: UTF8.self).split(separator: "\n").map(String.init)
    let signal = status & 0x7F
    return Death(
      signal: signal == 0 ? nil : signal, code: status >> 8 & 0xFF, lastWords: lines)
  }
}
