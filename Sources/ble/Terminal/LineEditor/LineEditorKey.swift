/// What somebody did at the keyboard.
enum LineEditorKey: Equatable, Sendable {
  /// Typed characters; many where they came together.
  case text(String)
  /// Text from the clipboard: line breaks in it submit nothing.
  case paste(String)
  case enter, tab, backspace, delete
  case left, right, wordLeft, wordRight, home, end
  case previous, next
  case killToEnd, killToStart, killWord, killWordForward, yank, transpose
  case clearScreen
  /// Ctrl-D: the end of the input on an empty line.
  case endOfInput
  case interrupt
  /// Means nothing here.
  case unknown
}
