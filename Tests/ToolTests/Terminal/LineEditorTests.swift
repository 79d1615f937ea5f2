import Testing

@testable import ble

/// How octets edit a line.
@Suite("The line editor")
struct LineEditorTests {
  private static let left = "\u{1B}[D"
  private static let right = "\u{1B}[C"
  private static let up = "\u{1B}[A"
  private static let down = "\u{1B}[B"

  /// The line with a bar at the cursor.
  private static func shown(_ editor: LineEditor) -> String {
    String(editor.characters[..<editor.cursor]) + "|" + String(editor.characters[editor.cursor...])
  }

  private static func edited(_ typed: String) -> String {
    var editor = LineEditor()
    _ = editor.take(typed.utf8)
    return shown(editor)
  }

  @Test(
    "Keys move, remove and restore",
    arguments: [
      ("abc", "abc|"), ("abc\(left)\(left)X", "aX|bc"), ("abc\u{2}\u{2}\u{6}X", "abX|c"),
      ("abc\u{1}X", "X|abc"), ("abc\u{1}\u{5}X", "abcX|"), ("abc\u{1B}[HX\u{1B}[FY", "XabcY|"),
      ("abc\u{1B}[1~X\u{1B}[4~Y", "XabcY|"), ("abc\u{1B}OHX\u{1B}OFY", "XabcY|"),
      ("abc\u{7F}", "ab|"), ("abc\u{8}\u{8}", "a|"), ("abc\u{1}\u{1B}[3~", "|bc"), ("abc\u{1}\u{4}", "|bc"),
      ("one two three\u{1B}b\u{1B}bX", "one X|two three"), ("one two\u{1}\u{1B}fX", "oneX| two"),
      ("one two\u{1B}[1;5DX", "one X|two"), ("one two\u{1}\u{1B}[1;3CX", "oneX| two"),
      ("one, two\u{17}", "one, |"), ("one two\u{1B}\u{7F}", "one |"), ("one two\u{1}\u{1B}d", "| two"),
      ("one two\u{17}\u{17}\u{19}!", "one two!|"), ("one two\u{2}\u{2}\u{2}\u{B}\u{1}\u{19}", "two|one "),
      ("one two\u{15}x\u{19}", "xone two|"), ("ab\u{14}", "ba|"), ("abc\u{1}\u{6}\u{14}", "ba|c"),
    ])
  func keysMoveRemoveAndRestore(typed: String, line: String) {
    #expect(Self.edited(typed) == line)
  }

  @Test(
    "A character is one step and one backspace, however many octets it has",
    arguments: [
      ("Zażółć", 6), ("中文字", 3), ("e\u{301}", 1), ("👨‍👩‍👧‍👦", 1), ("🇩🇪🇵🇱", 2), ("👍🏽", 1), ("한글", 2), ("❤️", 1), ("क्षि", 1),
      ("\u{1112}\u{1161}\u{11AB}", 1),
    ])
  func aCharacterIsOneStepAndOneBackspace(text: String, count: Int) {
    // In one piece, octet by octet, and each scalar by itself.
    for pieces in [[Array(text.utf8)], text.utf8.map { [$0] }, text.unicodeScalars.map { Array(String($0).utf8) }] {
      var editor = LineEditor()
      for piece in pieces { #expect(editor.take(piece).isEmpty) }
      #expect(editor.text.unicodeScalars.elementsEqual(text.unicodeScalars) && editor.cursor == count)
      for _ in 0..<count { #expect(editor.press(.left) == nil) }
      #expect(editor.press(.left) == .bell && editor.cursor == 0)
      _ = editor.press(.end)
      for _ in 0..<count { #expect(editor.press(.backspace) == nil) }
      #expect(editor.text.isEmpty && editor.press(.backspace) == .bell)
    }
  }

  @Test("A mark typed into the middle joins the letter before it")
  func aMarkTypedIntoTheMiddleJoinsTheLetter() {
    #expect(Self.edited("eX\(Self.left)\u{301}") == "e\u{301}|X")
    // Removing what separated two halves joins them: the cursor never stands inside a character.
    #expect(Self.edited("🇩x🇪\(Self.left)\u{7F}") == "🇩🇪|")
  }

  @Test("Enter submits the line, Ctrl-D ends on an empty one only")
  func enterSubmitsTheLine() {
    var editor = LineEditor()
    #expect(editor.take("one\rtwo\nthree\r\nfour".utf8) == [.line("one"), .line("two"), .line("three")])
    #expect(editor.text == "four" && editor.take([0x01, 0x04]) == [] && editor.text == "our")
    #expect(editor.take([0x15, 0x05, 0x15]) == [.bell] && editor.text.isEmpty)
    #expect(editor.take([0x04]) == [.end])
    #expect(editor.take([0x03]) == [.interrupt])
  }

  @Test("I15.7 an abandoned line is gone, and the history begins at its end again")
  func anAbandonedLineIsGone() {
    var editor = LineEditor(history: LineHistory(["one", "two"]))
    #expect(editor.take("half\u{1B}[A\u{1B}[A".utf8).isEmpty && editor.text == "one")
    editor.clear()
    #expect(editor.text.isEmpty && editor.cursor == 0)
    #expect(editor.take("\u{1B}[A".utf8).isEmpty && editor.text == "two")
    #expect(editor.take("\u{1B}[B".utf8).isEmpty && editor.text.isEmpty)
  }

  @Test("A paste is text: its line breaks submit nothing, and its control characters are removed")
  func aPasteIsText() {
    var editor = LineEditor()
    let paste = "\u{1B}[200~one\r\ntwo\rthree\u{3}\u{4}\u{1B}[A\u{7}\t中\u{1B}[201~"
    for octet in paste.utf8 { #expect(editor.take([octet]).isEmpty) }
    #expect(editor.text == "one\ntwo\nthree[A\t中")
    #expect(editor.take([0x0D]) == [.line("one\ntwo\nthree[A\t中")])
  }

  @Test("A paste that never ends or is too long stays bounded, and the next key works")
  func aPasteThatNeverEndsOrIsTooLongStays() {
    var editor = LineEditor()
    _ = editor.take("\u{1B}[200~".utf8)
    for _ in 0..<100 { #expect(editor.take(repeatElement(UInt8(ascii: "x"), count: 4096)).isEmpty) }
    #expect(editor.take("\u{1B}[201~".utf8).isEmpty && editor.text.utf8.count == LineEditorKeyReader.longestPaste)
    #expect(editor.take("y".utf8) == [.bell] && editor.text.utf8.count == LineEditor.longestLine)
    #expect(editor.take([0x7F]).isEmpty && editor.take("y".utf8).isEmpty && editor.text.hasSuffix("xy"))
  }

  @Test("History goes back, forth and to what was being typed")
  func historyGoesBackForthAndToWhatWasBeingTyped() {
    var kept: [String] = []
    var editor = LineEditor(history: LineHistory(["old"], keep: { kept.append($0) }))
    _ = editor.take("first\rsecond\rsecond\r secret\r   \rdraft".utf8)
    #expect(kept == ["first", "second"])
    var seen: [String] = []
    for key in [Self.up, Self.up, Self.up] {
      _ = editor.take(key.utf8)
      seen.append(editor.text)
    }
    #expect(seen == ["second", "first", "old"] && editor.take(Self.up.utf8) == [.bell])
    _ = editor.take((Self.down + Self.down + Self.down).utf8)
    #expect(editor.text == "draft" && editor.take(Self.down.utf8) == [.bell])
  }

  @Test("History holds a thousand lines")
  func historyHoldsAThousandLines() {
    var editor = LineEditor()
    for number in 0..<1200 { _ = editor.take("line \(number)\r".utf8) }
    #expect(editor.history.lines.count == 1000 && editor.history.lines.first == "line 200")
    _ = editor.take((String(repeating: "x", count: 5000) + "\r").utf8)
    #expect(editor.history.lines.last == "line 1199")
  }

  @Test("The tab key completes, then shows the candidates")
  func theTabKeyCompletes() {
    let words = ["subscribe ", "subset ", "read "]
    var editor = LineEditor { text in
      let word = text.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
      return .init(replacing: word.count, candidates: words.filter { $0.hasPrefix(word) })
    }
    #expect(editor.take("s\t".utf8) == [] && editor.text == "subs")
    #expect(editor.take("\t".utf8) == [.candidates(["subscribe ", "subset "])])
    #expect(editor.take("\u{1B}[D\u{1B}[C\t".utf8) == [.bell])
    #expect(editor.take("c\t".utf8) == [] && editor.text == "subscribe ")
    #expect(editor.take("x\t".utf8) == [.bell] && editor.text == "subscribe x")
    var plain = LineEditor()
    #expect(plain.take("\t".utf8) == [.bell])
  }

  @Test(
    "Unknown sequences do not change the line",
    arguments: [
      "\u{1B}[999999999999999999999m", "\u{1B}]0;title\u{7}", "\u{1B}[<0;1;1M", "\u{1B}Px\u{1B}\\", "\u{1B}[?1;2c",
      "\u{0}\u{1C}\u{1D}",
      "\u{1B}\u{1B}\u{1B}[", "\u{1B}[\u{3}",
    ])
  func unknownSequencesDoNotChangeTheLine(sequence: String) {
    var editor = LineEditor()
    _ = editor.take("abc".utf8)
    _ = editor.take(sequence.utf8)
    #expect(editor.text.hasPrefix("abc"))
    // After an unfinished sequence, one letter may still belong to it.
    _ = editor.take("~".utf8)
    #expect(editor.take("\rok\r".utf8).suffix(1) == [.line("ok")])
  }

  @Test("Random octets only edit: cursor in the line, memory bounded")
  func randomOctetsOnlyEdit() {
    var chance = SystemRandomNumberGenerator()
    let seeds: [[UInt8]] = [
      [0x1B], [0x1B, 0x5B], Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8), [0x0D], [0x15], [0x19],
      [0xF0, 0x9F, 0x91],
      [0xE4, 0xB8, 0xAD], [0xCC, 0x81], [0xE2, 0x80, 0x8D], [0xFF, 0xFE], [0x14], [0x17], Array("🇩".utf8),
    ]
    for _ in 0..<200 {
      var editor = LineEditor()
      for _ in 0..<60 {
        var octets = seeds.randomElement(using: &chance) ?? []
        octets += (0..<Int.random(in: 0..<6, using: &chance)).map { _ in UInt8.random(in: 0...255, using: &chance) }
        for case .line(let line) in editor.take(octets) {
          #expect(!line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }, "\(octets)")
        }
        #expect((0...editor.characters.count).contains(editor.cursor), "\(octets)")
        #expect(Array(editor.text) == editor.characters, "\(octets)")
      }
    }
  }
}
