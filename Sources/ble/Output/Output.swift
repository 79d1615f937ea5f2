import Foundation

/// The tool's output: results to the standard output, everything else to the standard error.
@MainActor final class Output {
  let isJSON: Bool
  let isQuiet: Bool
  let style: Style
  /// What is drawn at the bottom of the terminal and has to be moved for other output.
  static weak var bottomLine: (any BottomLine)?
  /// Called once, when the reader of the standard output has closed it.
  var onClosed: (() -> Void)?

  /// systemd's journal, where it is what reads the standard output, or the standard error.
  private static let journals = (output: Journal(behind: STDOUT_FILENO), error: Journal(behind: STDERR_FILENO))

  private var pending: [UInt8] = []
  private var isClosed = false
  private static let flushSize = 32_768

  init(isJSON: Bool, isQuiet: Bool, style: Style) {
    self.isJSON = isJSON
    self.isQuiet = isQuiet
    self.style = style
  }

  /// Prints one line of results. Text from a peer has to be inert.
  func line(_ text: String) {
    collect(text)
    flush()
  }

  /// Adds one of many lines, which are written together, at the latest by `flush()`.
  func collect(_ text: String) {
    pending.append(contentsOf: text.utf8)
    pending.append(0x0A)
    if pending.count >= Self.flushSize { flush() }
  }

  /// Writes octets unchanged.
  func raw(_ octets: [UInt8]) {
    pending += octets
    flush()
  }

  func flush() {
    defer { pending.removeAll(keepingCapacity: true) }
    guard !isClosed, !pending.isEmpty, !Self.put(pending, to: STDOUT_FILENO) else { return }
    isClosed = true
    onClosed?()
  }

  /// Prints one document, or one line of a stream.
  func json(_ value: JSONValue) { line(value.text) }

  /// Prints an event with its time: a line for people, or a line of JSON for programs.
  func event(_ name: String, _ members: @autoclosure () -> JSONValue, _ sentence: @autoclosure () -> String) {
    guard let journal = Self.journals.output else { return line(isJSON ? Self.json(name, members()) : sentence()) }
    let members = members()
    let text = isJSON ? Self.json(name, members) : sentence()
    flush()
    if !journal.send(JournalEntry(text, .information, event: name, members)) { line(text) }
  }

  private static func json(_ event: String, _ members: JSONValue) -> String {
    let now = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return members.preceded(by: ["event": .string(event), "time": .string(now)]).text
  }

  /// Prints an event to the standard error, for people who follow what a command does.
  func remark(_ name: String, _ members: JSONValue, _ sentence: String) {
    if !isQuiet { Self.complain(sentence, .information, event: name, members) }
  }

  /// Prints information that is not a result, such as progress, to the standard error.
  func note(_ text: String) {
    if !isQuiet { Self.complain(text, .information) }
  }

  /// Prints why the command failed.
  func failure(_ error: ToolError) {
    let code = error.attributeError.map(JSONValue.integer) ?? .null
    let members: KeyValuePairs<String, JSONValue> = [
      "kind": .string(error.status.word), "status": .integer(Int(error.status.rawValue)),
      "message": .string(error.message), "att_error": code,
    ]
    let text = isJSON ? JSONValue.object(["error": .object(members)]).text : "Error: \(error.message)"
    Self.complain(text, .error, event: "error", .object(members))
  }

  /// Prints a line to the standard error.
  static func complain(
    _ text: String, _ priority: JournalEntry.Priority = .warning, event: String? = nil, _ members: JSONValue = [:]
  ) {
    if let journal = journals.error, journal.send(JournalEntry(text, priority, event: event, members)) { return }
    _ = put(Array(text.utf8) + [0x0A], to: STDERR_FILENO)
  }

  /// Writes above what is drawn at the bottom of the terminal, if the descriptor is a terminal.
  private static func put(_ octets: [UInt8], to descriptor: Int32) -> Bool {
    guard let bottomLine, isatty(descriptor) == 1 else { return write(octets[...], to: descriptor) }
    var isTaken = true
    bottomLine.makeRoom { isTaken = write((octets.last == 0x0A ? octets : octets + [0x0A])[...], to: descriptor) }
    return isTaken
  }

  /// Returns whether all octets were written.
  nonisolated static func write(_ octets: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = octets
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

/// Something that is drawn below all other output.
@MainActor protocol BottomLine: AnyObject {
  /// Erases itself, lets `work` write whole lines, and draws itself again.
  func makeRoom(for work: () -> Void)
}

/// Emphasis on terminals that support it.
struct Style: Sendable {
  let isOn: Bool

  /// On for a terminal, unless `NO_COLOR` is set or the terminal has no support for it.
  static func standard(environment: [String: String], isTerminal: Bool) -> Style {
    let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || ["dumb", ""].contains(environment["TERM"])
    return Style(isOn: isTerminal && !isRefused)
  }

  func strong(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  func faint(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
