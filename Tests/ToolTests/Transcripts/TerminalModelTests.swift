import Foundation
import Testing

/// The terminal that the transcripts are read from.
@Suite("The terminal of the tests")
struct TerminalModelTests {
  private func model(_ text: String, columns: Int = 10, rows: Int = 3) -> TerminalModel {
    var model = TerminalModel(columns: columns, rows: rows)
    // One octet at a time: characters and sequences are cut everywhere.
    for octet in text.utf8 { model.feed([octet]) }
    return model
  }

  @Test("Lines are wrapped, overwritten, and scroll out at the top")
  func linesAreWrappedOverwritten() {
    let scrolled = model("one\r\ntwo\r\nthree\r\nfour")
    #expect(scrolled.scrolledOff == ["one"] && scrolled.screen == ["two", "three", "four"])
    #expect(model("abcdefghijkl").screen == ["abcdefghij", "kl", ""])
    #expect(model("abc\rX").screen[0] == "Xbc")
  }

  @Test("The cursor moves and lines are erased")
  func theCursorMovesAndLinesAreErased() {
    #expect(model("ab\r\ncd\u{1B}[A\rX\u{1B}[K").screen == ["X", "cd", ""])
    #expect(model("a\r\nb\r\nc\u{1B}[2A\u{1B}[J").screen == ["a", "", ""])
    #expect(model("\u{1B}[2;3HX").screen == ["", "  X", ""])
  }

  @Test("Wide characters take two cells, marks none")
  func wideCharactersTakeTwoCells() {
    let wide = model("你好e\u{301}!")
    #expect(wide.screen[0] == "你好e\u{301}!" && wide.column == 6)
    #expect(model("123456789你").screen == ["123456789", "你", ""])
  }

  @Test("The alternate screen leaves the first one as it was")
  func theAlternateScreenLeavesTheFirst() {
    let inside = model("before\u{1B}[?1049h\u{1B}[?25lx")
    #expect(inside.isAlternate && inside.isCursorHidden && !inside.text.contains("before"))
    let after = model("before\u{1B}[?1049hx\u{1B}[?1049l\u{1B}[?25h!")
    #expect(after.screen[0] == "before!" && !after.isAlternate && !after.isCursorHidden)
  }

  @Test("Unknown sequences are reported")
  func unknownSequencesAreReported() {
    #expect(model("\u{1B}]0;title\u{7}x").unknown == ["OSC 0;title"])
    #expect(model("\u{1B}[5n").unknown == ["CSI 5n"])
    #expect(model("\u{1B}[1mbold\u{1B}[0m").unknown.isEmpty)
  }

  @Test("A program on it has a terminal, its size, and the signals of its keys")
  func aProgramOnItHasATerminal() throws {
    let shell = try TerminalProcess(
      .init(fileURLWithPath: "/bin/sh"),
      ["-c", "tty; trap 'stty size; exit 3' WINCH INT; stty size; while :; do read line; echo \"<$line>\"; done"],
      environment: ["PATH": "/usr/bin:/bin"], columns: 50, rows: 7)
    defer { shell.kill9() }
    try shell.see("/dev/pts/")
    try shell.see("7 50")
    shell.type("hello\r")
    try shell.see("<hello>")
    shell.resize(columns: 60, rows: 8)
    shell.type("\u{3}")
    try shell.see("8 60")
    #expect(try shell.finish() == 3)
  }
}
