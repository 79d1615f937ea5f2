/// A key or an input at the keyboard.
enum LineEditorKey: Equatable, Sendable {
  /// Typed characters; several if they arrive together.
  case text(String)
  /// Pasted text: line breaks in it do not submit the line.
  case paste(String)
  case enter, tab, backspace, delete
  case left, right, wordLeft, wordRight, home, end
  case previous, next
  case killToEnd, killToStart, killWord, killWordForward, yank, transpose
  case clearScreen
  /// Ctrl-D: the end of the input on an empty line.
  case endOfInput
  case interrupt
  /// A key without a meaning here.
  case unknown
}
