import Dispatch
import Foundation

/// Lines from the standard input: edited at the bottom of a terminal, or read without a prompt from a pipe or file.
///
/// Other output of the tool appears above the line being edited, which is drawn again.
@MainActor final class LineInput: BottomLine {
  /// The prompt; drawn again when it changes.
  var prompt: String { didSet { redraw() } }
  /// Lines between the output and the prompt. Text from a peer has to be inert.
  var above: [String] = [] { didSet { if above != oldValue { redraw() } } }
  /// Whether a submitted line stays on the screen.
  var leavesLines = true
  /// The instance that reads the terminal, if there is one: its lines also answer questions of the tool.
  private(set) static weak var current: LineInput?
  /// Whether lines are edited: input and output are terminals that can move the cursor.
  var isEditing: Bool { terminal != nil }

  private let clearsOnInterrupt: Bool
  private let onLine: (String) -> Void
  private let onEnd: () -> Void
  private var editor: LineEditor
  private var display = LineEditorDisplay(columns: 80, rows: 24)
  private var reader: DescriptorReader?
  private var lines: LineReader?
  private var signals: TerminalSignals?
  /// The descriptor that the line is drawn on; `nil` if it is not.
  private var terminal: Int32?
  /// Whether the line is erased for other output.
  private var isAside = false
  private var isSuspended = false

  /// - Parameters:
  ///   - prompt: the text in front of the line.
  ///   - history: where lines are stored; `nil`: nowhere.
  ///   - edits: `false` for plain lines even on a terminal.
  ///   - clearsOnInterrupt: whether Ctrl-C abandons a line that is being edited, as in a shell; on an empty line it interrupts the program.
  ///   - longestLine: the longest plain line, in octets.
  ///   - completer: called for the Tab key.
  ///   - onEnd: called once, at the end of the input or at Ctrl-D on an empty line.
  init(
    prompt: String, history: LineHistoryFile? = nil, edits: Bool = true, clearsOnInterrupt: Bool = false,
    longestLine: Int = LineReader.longestLine,
    completer: LineEditor.Completer? = nil,
    onLine: @escaping (String) -> Void, onEnd: @escaping () -> Void
  ) {
    self.prompt = prompt
    self.clearsOnInterrupt = clearsOnInterrupt
    let onLine: (String) -> Void = { if !PairingDesk.takes($0) { onLine($0) } }
    self.onLine = onLine
    self.onEnd = onEnd
    terminal = edits ? Self.terminal(ProcessInfo.processInfo.environment) : nil
    editor = LineEditor(
      history: terminal == nil ? LineHistory() : history?.history() ?? LineHistory(), completer: completer)
    if isatty(STDIN_FILENO) == 1 { Self.current = self }
    guard let terminal, TerminalMode.enter(drawingOn: terminal, readsInterrupt: clearsOnInterrupt) else {
      self.terminal = nil
      lines = LineReader(STDIN_FILENO, longestLine: longestLine, onLine: onLine, onEnd: onEnd)
      return
    }
    Output.bottomLine = self
    signals = TerminalSignals(
      resize: { [weak self] in self?.resize() }, suspend: { [weak self] in self?.suspend() },
      resume: { [weak self] in self?.resume() })
    reader = DescriptorReader(
      STDIN_FILENO, onOctets: { [weak self] in self?.take($0) },
      onEnd: { [weak self] in
        self?.stop()
        onEnd()
      })
    resize()
  }

  /// The descriptor to draw on; `nil` unless input and output are terminals that can move the cursor.
  private static func terminal(_ environment: [String: String]) -> Int32? {
    let kind = environment["TERM"] ?? ""
    guard isatty(STDIN_FILENO) == 1, !kind.isEmpty, kind != "dumb" else { return nil }
    return [STDOUT_FILENO, STDERR_FILENO].first { isatty($0) == 1 }
  }

  /// Stops reading and restores the terminal. A line that was being edited stays on the screen.
  func stop() {
    lines?.stop()
    reader?.stop()
    (lines, reader) = (nil, nil)
    if Self.current === self { Self.current = nil }
    guard terminal != nil else { return }
    write(editor.characters.isEmpty && above.isEmpty ? display.erase() : display.leave(picture))
    signals?.stop()
    signals = nil
    if Output.bottomLine === self { Output.bottomLine = nil }
    terminal = nil
    TerminalMode.leave()
  }

  /// Suspends reading plain lines, so that the writer of a pipe blocks.
  func pauseReading() { lines?.pause() }
  func resumeReading() { lines?.resume() }

  // MARK: Keys

  private func take(_ octets: ArraySlice<UInt8>) {
    for outcome in editor.take(octets) {
      switch outcome {
      case .line(let line):
        var submitted = picture
        submitted.characters = Array(line)
        write(leavesLines ? display.leave(submitted) : display.erase())
        onLine(line)
      case .end:
        stop()
        onEnd()
      case .interrupt: interrupt()
      case .bell: write("\u{7}")
      case .candidates(let candidates): show(candidates)
      case .clearScreen: write(display.clearScreen())
      }
      if terminal == nil { return }
    }
    redraw()
  }

  private func interrupt() {
    guard clearsOnInterrupt, !editor.characters.isEmpty else {
      kill(getpid(), SIGINT)
      return
    }
    var abandoned = picture
    abandoned.characters += "^C"
    write(display.leave(abandoned))
    editor.clear()
  }

  private func show(_ candidates: [String]) {
    let texts = candidates.map(\.inert)
    let width = (texts.map(\.displayWidth).max() ?? 0) + 2
    let perRow = max(1, display.columns / width)
    let rows = stride(from: 0, to: texts.count, by: perRow).map { start in
      texts[start..<min(texts.count, start + perRow)]
        .map { $0 + String(repeating: " ", count: width - $0.displayWidth) }.joined()
    }
    makeRoom { write(rows.joined(separator: "\r\n") + "\r\n") }
  }

  // MARK: Screen

  private var picture: LineEditorDisplay.Picture {
    LineEditorDisplay.Picture(above: above, prompt: prompt, characters: editor.characters, cursor: editor.cursor)
  }

  private func redraw() {
    guard terminal != nil, !isAside, !isSuspended else { return }
    write(display.draw(picture))
  }

  /// Sounds the bell of the terminal.
  func ring() { if terminal != nil { write("\u{7}") } }

  func makeRoom(for work: () -> Void) {
    guard terminal != nil, !isAside, !isSuspended else { return work() }
    isAside = true
    write(display.erase())
    work()
    isAside = false
    redraw()
  }

  private func resize() {
    if let size = terminal.flatMap(TerminalSize.of) { (display.columns, display.rows) = size }
    redraw()
  }

  private func write(_ text: String) {
    guard let terminal, !text.isEmpty else { return }
    _ = Output.write(Array(text.utf8)[...], to: terminal)
  }

  // MARK: Signals

  /// Ctrl-Z: restores the terminal for the shell and stops the process.
  private func suspend() {
    write(display.leave(picture))
    isSuspended = true
    TerminalMode.leave()
    kill(getpid(), SIGSTOP)
  }

  private func resume() {
    guard let terminal, TerminalMode.enter(drawingOn: terminal, readsInterrupt: clearsOnInterrupt) else { return }
    isSuspended = false
    resize()
  }
}
