import Testing

@testable import ble

/// How a line is shown on a terminal.
@Suite("The line editor's display")
struct LineEditorDisplayTests {
  private struct Scene {
    var display: LineEditorDisplay
    var screen: ScreenModel
    var editor = LineEditor()
    var above: [String] = []

    init(columns: Int = 20, rows: Int = 6) {
      display = LineEditorDisplay(columns: columns, rows: rows)
      screen = ScreenModel(columns: columns, rows: rows)
      draw()
    }

    var picture: LineEditorDisplay.Picture {
      .init(above: above, prompt: "> ", characters: editor.characters, cursor: editor.cursor)
    }

    mutating func draw() { screen.write(display.draw(picture)) }

    mutating func type(_ text: String) {
      for octet in text.utf8 {
        _ = editor.take([octet])
        draw()
      }
    }

    mutating func output(_ line: String) {
      screen.write(display.erase() + line + "\r\n")
      draw()
    }
  }

  @Test("The line is behind the prompt, the cursor where it was moved")
  func theLineIsBehindThePrompt() {
    var scene = Scene()
    scene.type("hello\u{1B}[D\u{1B}[D")
    #expect(scene.screen.text == ["> hello"] && scene.screen.column == 5 && scene.screen.mistakes == [])
    scene.type("\u{1}\u{4}")
    #expect(scene.screen.text == ["> ello"] && scene.screen.column == 2)
  }

  @Test("Output is shown above the line being typed")
  func outputIsShownAboveTheLineBeingTyped() {
    var scene = Scene()
    scene.type("hel")
    scene.output("you: one")
    scene.output("you: two")
    scene.type("lo")
    #expect(scene.screen.text == ["you: one", "you: two", "> hello"] && scene.screen.mistakes == [])
    scene.screen.write(scene.display.leave(scene.picture))
    #expect(scene.screen.text == ["you: one", "you: two", "> hello", ""])
  }

  @Test("Long lines are wrapped into rows, wide characters never split")
  func longLinesAreWrappedIntoRows() {
    var scene = Scene(columns: 10)
    scene.type("12345678")
    #expect(scene.screen.text == ["> 12345678", ""] && scene.screen.column == 0 && scene.screen.row == 1)
    scene.type("\u{1}")
    #expect(scene.screen.text == ["> 12345678"] && scene.screen.column == 2 && scene.screen.row == 0)
    scene.type("\u{15}\u{B}1中文字中文")
    #expect(scene.screen.text == ["> 1中文字", "中文"] && scene.screen.column == 4)
    scene.output("out")
    #expect(scene.screen.text == ["out", "> 1中文字", "中文"] && scene.screen.mistakes == [])
  }

  @Test("A line taller than the terminal is shown around the cursor")
  func aLineTallerThanTheTerminalIsShownAround() {
    var scene = Scene(columns: 10, rows: 4)
    scene.type(String(repeating: "x", count: 95))
    scene.output("one")
    scene.type("\u{1}")
    scene.output("two")
    #expect(
      scene.screen.mistakes == [] && scene.screen.text.suffix(3).first == "> xxxxxxxx" && scene.screen.column == 2)
    scene.type("\u{5}\u{15}ok")
    #expect(scene.screen.text.last == "> ok" && scene.screen.mistakes == [])
  }

  @Test("Lines above the prompt are truncated at the width")
  func linesAboveThePromptAreTruncatedAtTheWidth() {
    var scene = Scene()
    scene.above = ["… a message that is longer than a row", "… 中文字中文字中文字中文字"]
    scene.draw()
    scene.type("x")
    #expect(scene.screen.text == ["… a message that i…", "… 中文字中文字中文…", "> x"] && scene.screen.mistakes == [])
    scene.above = []
    scene.draw()
    #expect(scene.screen.text == ["> x"])
  }

  @Test(
    "Nothing in a line acts on the terminal",
    arguments: [
      ("\u{202E}abc", "\\u{202E}abc"), ("\u{9B}2J", "\\u{9B}2J"), ("a\\b", "a\\b"), ("a\u{2028}b", "a\\u{2028}b"),
      ("\u{301}x", "◌\u{301}x"), ("\u{FEFF}", "\\u{FEFF}"),
    ])
  func nothingInALineActsOnTheTerminal(line: String, shown: String) {
    var scene = Scene(columns: 40)
    scene.type(line)
    #expect(scene.editor.text == line && scene.screen.text == ["> " + shown] && scene.screen.mistakes == [])
  }

  @Test("A narrower terminal that has rewrapped rows is cleared of all of them")
  func aNarrowerTerminalThatHasRewrappedRowsIsCleared() {
    var scene = Scene(columns: 20)
    scene.type(String(repeating: "x", count: 16))
    scene.display.columns = 10
    // One row of 18 columns now takes two of ten, with the cursor in the second.
    #expect(scene.display.erase() == "\u{1B}[1A\r\u{1B}[J")
  }

  @Test("Any editing at any width leaves the line, once, with the cursor at its place")
  func anyEditingAtAnyWidthLeavesTheLine() {
    var chance = SystemRandomNumberGenerator()
    let keys = [
      "a", "中", "👨‍👩‍👧", "e\u{301}", "\u{1B}[D", "\u{1B}[C", "\u{7F}", "\u{1}", "\u{5}", "\u{17}", "\u{19}", "\u{202E}",
      " b",
    ]
    for columns in [4, 7, 10, 33] {
      var scene = Scene(columns: columns, rows: 30)
      for number in 0..<120 {
        if number % 17 == 16 { scene.output("o") } else { scene.type(keys.randomElement(using: &chance) ?? "") }
        let line = scene.editor.characters.map { LineEditorDisplay.shown($0).text }.joined()
        guard line.displayWidth < columns * 20 else { break }
        let text = scene.screen.text.drop { $0 == "o" }.joined()
        #expect(text.filter { $0 != " " } == ("> " + line).filter { $0 != " " })
        #expect(scene.screen.mistakes == [])
      }
    }
  }
}

@Suite("The width of characters")
struct DisplayWidthTests {
  @Test(
    "Text takes as many columns as its characters do",
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("Ж", 1), ("א", 1), ("ع", 1), ("中", 2), ("、", 2), ("Ａ", 2),
      ("ｱ", 1),
      ("한", 2),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("あ", 2), ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2),
      ("☃", 1),
      ("⌚", 2), ("𠀀", 2), ("क्ष", 2), ("ก็", 1), ("\u{200D}", 0), ("\u{301}", 0), ("\u{7}", 0), ("\u{AD}", 0), ("…", 1),
      ("█", 1), ("", 0),
      ("日本語 ok", 9),
    ])
  func textTakesAsManyColumnsAsItsCharacters(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test("Truncated text fits, ends with an ellipsis and cuts no character")
  func truncatedTextFitsEndsWithAnEllipsisAndCuts() {
    #expect("hello".truncated(toColumns: 5) == "hello" && "hello!".truncated(toColumns: 5) == "hell…")
    #expect("中文字".truncated(toColumns: 6) == "中文字" && "中文字中".truncated(toColumns: 6) == "中文…")
    #expect("abc".truncated(toColumns: 0) == "" && "👨‍👩‍👧a".truncated(toColumns: 2) == "…")
  }
}
