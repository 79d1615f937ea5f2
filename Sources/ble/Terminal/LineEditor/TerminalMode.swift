import Foundation

/// The mode in which a terminal hands on each key, and the way back from it.
///
/// However the program ends, the terminal gets back what it had: at `leave()`, at `exit`, and when a signal ends the program, be it
/// one that somebody sent or a crash. (Only SIGKILL leaves no time.)
enum TerminalMode {
  /// What the terminal had before; `nil` while it has it. Signal handlers read it, so it lies at one place for good.
  ///
  /// `nonisolated(unsafe)`: written on the main thread, `isEntered` last on the way in and first on the way out.
  private nonisolated(unsafe) static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private nonisolated(unsafe) static let isEntered = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
  private nonisolated(unsafe) static var isPrepared = false
  private static let terminal = STDIN_FILENO

  private static let bracketedPasteOn = "\u{1B}[?2004h"
  private static let bracketedPasteOff: StaticString = "\u{1B}[?2004l"
  /// The other screen, no cursor, and lines that are cut instead of broken.
  private static let wholeScreenOn = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let wholeScreenOff: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  private nonisolated(unsafe) static let isWholeScreen = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)

  /// Those by which programs end without having asked for it.
  private static let deadly = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT, SIGALRM, SIGXCPU]

  /// Keys come one by one and are not echoed; Ctrl-C, Ctrl-Z and output go on as before.
  /// - Parameter isWholeScreen: whether the alternate screen is wanted, too; without a cursor, and without pastes in brackets.
  @MainActor static func enter(drawingOn output: Int32, isWholeScreen: Bool = false) -> Bool {
    prepare()
    // Who is in the background would be stopped for touching the terminal.
    guard tcgetpgrp(terminal) == getpgrp() else { return false }
    // Where it was entered before, a shell may have changed the mode while the program was stopped.
    guard isEntered.pointee != 0 || tcgetattr(terminal, saved) == 0 else { return false }
    var mode = saved.pointee
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    self.isWholeScreen.pointee = isWholeScreen ? 1 : 0
    isEntered.pointee = 1
    guard tcsetattr(terminal, TCSADRAIN, &mode) == 0 else {
      isEntered.pointee = 0
      return false
    }
    _ = (isWholeScreen ? wholeScreenOn : bracketedPasteOn).withCString { write(output, $0, strlen($0)) }
    return true
  }

  /// Gives the terminal back. May be called at any time, from a signal's handler too.
  static func leave() {
    guard isEntered.pointee != 0 else { return }
    isEntered.pointee = 0
    let ending = isWholeScreen.pointee == 0 ? bracketedPasteOff : wholeScreenOff
    _ = write(terminal, ending.utf8Start, ending.utf8CodeUnitCount)
    tcsetattr(terminal, TCSANOW, saved)
  }

  /// Has the terminal given back at the end, whatever that will be.
  private static func prepare() {
    guard !isPrepared else { return }
    isPrepared = true
    isEntered.initialize(to: 0)
    isWholeScreen.initialize(to: 0)
    saved.initialize(to: termios())
    atexit { TerminalMode.leave() }
    for number in deadly {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        TerminalMode.leave()
        // What the signal does is done when the handler has returned: it was reset to that before.
        raise(number)
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
  }
}
