import Foundation

/// The terminal mode that delivers each key, and its restoration.
///
/// However the program ends, the terminal's mode is restored: by `leave()`, at `exit`, and when a signal or a crash ends the program.
/// (SIGKILL is the only exception.)
enum TerminalMode {
  /// The mode to restore, while `isEntered`. Signal handlers read it, so it has a fixed address.
  ///
  /// `nonisolated(unsafe)`: written on the main thread, `isEntered` last on the way in and first on the way out.
  private nonisolated(unsafe) static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private nonisolated(unsafe) static let isEntered = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
  private nonisolated(unsafe) static var isPrepared = false
  private static let terminal = STDIN_FILENO

  private static let bracketedPasteOn = "\u{1B}[?2004h"
  private static let bracketedPasteOff: StaticString = "\u{1B}[?2004l"
  /// Alternate screen, hidden cursor, no line wrapping.
  private static let wholeScreenOn = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let wholeScreenOff: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  private nonisolated(unsafe) static let isWholeScreen = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)

  /// Signals that end the program, other than those that `Signals` handles.
  private static let deadly = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT, SIGALRM, SIGXCPU]

  /// Keys are delivered immediately and not echoed; Ctrl-C, Ctrl-Z and output work as before.
  /// - Parameters:
  ///   - isWholeScreen: whether the alternate screen is wanted, too; without a cursor, and without pastes in brackets.
  ///   - readsInterrupt: whether Ctrl-C is a key like others, and no signal.
  @MainActor static func enter(
    drawingOn output: Int32, isWholeScreen: Bool = false, readsInterrupt: Bool = false
  ) -> Bool {
    prepare()
    // A background process would be stopped for changing the terminal.
    guard tcgetpgrp(terminal) == getpgrp() else { return false }
    // If the mode was entered before, `saved` is kept: a shell may have changed the mode while the program was stopped.
    guard isEntered.pointee != 0 || tcgetattr(terminal, saved) == 0 else { return false }
    var mode = saved.pointee
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
      // No character interrupts: _POSIX_VDISABLE, a macro that Swift does not see.
      if readsInterrupt { characters[Int(VINTR)] = 0 }
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

  /// Restores the terminal. May be called at any time, also from a signal handler.
  static func leave() {
    guard isEntered.pointee != 0 else { return }
    isEntered.pointee = 0
    let ending = isWholeScreen.pointee == 0 ? bracketedPasteOff : wholeScreenOff
    _ = write(terminal, ending.utf8Start, ending.utf8CodeUnitCount)
    tcsetattr(terminal, TCSANOW, saved)
  }

  /// Installs the restoration at the end of the program.
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
        // The default action follows when the handler returns: SA_RESETHAND has restored it.
        raise(number)
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
  }
}
