/// The tool's exit status, with the numbers of `sysexits.h` where they apply.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case usage = 64
  case badData = 65
  case noInput = 66
  case notFound = 68
  case unavailable = 69
  case failed = 74
  case timedOut = 75
  case interrupted = 130
  case outputClosed = 141
  case terminated = 143

  /// For the help and the documentation.
  var meaning: String { texts.meaning }
  /// In JSON.
  var word: String { texts.word }

  private var texts: (word: String, meaning: String) {
    switch self {
    case .done: ("done", "Done.")
    case .usage: ("usage", "The command line cannot be understood.")
    case .badData: ("bad-data", "A file has a mistake: a profile, a capture, bonds, out-of-band data.")
    case .noInput: ("no-input", "A file cannot be opened or written.")
    case .notFound: ("not-found", "The device, service, characteristic or bond was not found.")
    case .unavailable: ("unavailable", "Bluetooth is not available, switched off or not permitted.")
    case .failed: ("failed", "The operation failed: refused by the peer, or the link was lost.")
    case .timedOut: ("timed-out", "No answer in time.")
    case .interrupted: ("interrupted", "Interrupted with Ctrl-C; links were closed first.")
    case .outputClosed: ("output-closed", "The reader of the standard output has closed it.")
    case .terminated: ("terminated", "Ended by SIGTERM; links were closed first.")
    }
  }
}

/// Why a command failed.
struct ToolError: Error, Equatable, Sendable {
  let status: ExitStatus
  /// A sentence for people; parts from a peer have to be inert.
  let message: String
  /// The attribute protocol's error code, where the peer answered with one.
  var attributeError: Int?

  init(_ status: ExitStatus, _ message: String, attributeError: Int? = nil) {
    self.status = status
    self.message = message
    self.attributeError = attributeError
  }
}
