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
  var meaning: String {
    switch self {
    case .done: "Done."
    case .usage: "The command line cannot be understood."
    case .badData: "A file has a mistake: a profile, a capture, bonds, out-of-band data."
    case .noInput: "A file cannot be opened or written."
    case .notFound: "The device, service, characteristic or bond was not found."
    case .unavailable: "Bluetooth is not available, switched off or not permitted."
    case .failed: "The operation failed: refused by the peer, or the link was lost."
    case .timedOut: "No answer in time."
    case .interrupted: "Interrupted with Ctrl-C; links were closed first."
    case .outputClosed: "The reader of the standard output has closed it."
    case .terminated: "Ended by SIGTERM; links were closed first."
    }
  }

  /// The word for it in JSON.
  var word: String {
    switch self {
    case .done: "done"
    case .usage: "usage"
    case .badData: "bad-data"
    case .noInput: "no-input"
    case .notFound: "not-found"
    case .unavailable: "unavailable"
    case .failed: "failed"
    case .timedOut: "timed-out"
    case .interrupted: "interrupted"
    case .outputClosed: "output-closed"
    case .terminated: "terminated"
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
