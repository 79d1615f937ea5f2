import Dispatch
import Foundation

/// Draws a changing picture on the whole terminal, on the alternate screen, so that the previous contents reappear afterwards.
///
/// The picture is requested several times a second at most, and when the size of the window changes. Keys are delivered immediately.
/// `TerminalMode` restores the terminal however the program ends.
@MainActor final class Screen {
  private let makePicture: (_ columns: Int, _ rows: Int) -> [String]
  private let onKey: (Character) -> Void
  private var canvas = ScreenCanvas(columns: 80, rows: 24)
  private var keys: DescriptorReader?
  private var signals: TerminalSignals?
  private var ticker: (any DispatchSourceTimer)?
  private var isDirty = true
  private var isOpen = true
  private var isSuspended = false
  private var lastTick = 0

  /// The most pictures per second; a picture that shows the time is requested at least once per second.
  private static let rate = 8

  /// Returns `nil` if nothing can be drawn: input or output is not a terminal, it cannot move the cursor, or the log is written to it.
  init?(
    in session: Session, picture: @escaping (_ columns: Int, _ rows: Int) -> [String],
    onKey: @escaping (Character) -> Void = { _ in }
  ) {
    guard Self.isPossible(session.options, ProcessInfo.processInfo.environment),
      TerminalMode.enter(drawingOn: STDOUT_FILENO, isWholeScreen: true)
    else { return nil }
    makePicture = picture
    self.onKey = onKey
    signals = TerminalSignals(
      resize: { [weak self] in self?.resize() }, suspend: { [weak self] in self?.suspend() },
      resume: { [weak self] in self?.resume() })
    keys = DescriptorReader(STDIN_FILENO, onOctets: { [weak self] in self?.take($0) }, onEnd: {})
    resize()
    let ticker = DispatchSource.makeTimerSource(queue: .main)
    ticker.schedule(deadline: .now(), repeating: 1 / Double(Self.rate))
    ticker.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.tick() } }
    ticker.resume()
    self.ticker = ticker
  }

  /// Whether the screen can be used; otherwise lines are printed.
  static func isPossible(_ options: CommonOptions, _ environment: [String: String]) -> Bool {
    let kind = environment["TERM"] ?? ""
    let isLogged = options.verbosity > 0 && isatty(STDERR_FILENO) == 1
    return !options.isJSON && !isLogged && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !kind.isEmpty
      && kind != "dumb"
  }

  /// Requests a new picture.
  func changed() { isDirty = true }

  /// Restores the terminal. Output after this stays visible.
  func close() {
    guard isOpen else { return }
    isOpen = false
    keys?.stop()
    keys = nil
    ticker?.cancel()
    signals?.stop()
    signals = nil
    TerminalMode.leave()
  }

  private func take(_ octets: ArraySlice<UInt8>) {
    // Arrow keys and other escape sequences have no meaning here.
    guard octets.first != 0x1B else { return }
    for character in String(decoding: octets, as: UTF8.self) where isOpen { onKey(character) }
    isDirty = true
  }

  private func tick() {
    lastTick += 1
    if isDirty || lastTick.isMultiple(of: Self.rate) { draw() }
  }

  private func draw() {
    guard isOpen, !isSuspended else { return }
    isDirty = false
    let text = canvas.draw(makePicture(canvas.columns, canvas.rows))
    if !text.isEmpty { _ = Output.write(Array(text.utf8)[...], to: STDOUT_FILENO) }
  }

  private func resize() {
    let size = TerminalSize.of(STDOUT_FILENO) ?? (columns: 80, rows: 24)
    canvas.resize(columns: size.columns, rows: size.rows)
    draw()
  }

  /// Ctrl-Z: restores the terminal for the shell and stops the process.
  private func suspend() {
    isSuspended = true
    TerminalMode.leave()
    kill(getpid(), SIGSTOP)
  }

  private func resume() {
    guard TerminalMode.enter(drawingOn: STDOUT_FILENO, isWholeScreen: true) else { return }
    isSuspended = false
    resize()
  }
}

/// The size of a terminal.
enum TerminalSize {
  /// `nil` if the descriptor is not a terminal, or its size is unknown.
  static func of(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
