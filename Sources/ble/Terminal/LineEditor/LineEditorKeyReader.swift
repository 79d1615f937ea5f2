/// Decodes the octets of a terminal into keys: UTF-8, control characters, and the escape sequences of xterm and similar terminals.
///
/// It accepts any input: invalid UTF-8 becomes U+FFFD, an unknown sequence becomes `unknown`, and neither makes it hold more than
/// `longestPaste` octets. An incomplete character or sequence at the end waits for the rest.
struct LineEditorKeyReader {
  /// The longest paste in octets; the rest of a longer one is dropped.
  static let longestPaste = 65_536

  private enum State {
    case ground, escape, singleShift
    case sequence([UInt8])
    case paste([UInt8])
  }

  private var state = State.ground
  private var text: [UInt8] = []
  private var keys: [LineEditorKey] = []
  private var endsWithReturn = false

  private static let escape: UInt8 = 0x1B
  private static let longestSequence = 32
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  mutating func take(_ octets: some Sequence<UInt8>) -> [LineEditorKey] {
    for octet in octets { take(octet) }
    flushText(isWhole: false)
    defer { keys = [] }
    return keys
  }

  private mutating func take(_ octet: UInt8) {
    switch state {
    case .ground: takeGround(octet)
    case .escape: takeEscape(octet)
    case .singleShift:
      state = .ground
      keys.append(Self.final(octet, parameters: [0x31]))
    case .sequence(var parameters):
      guard !(0x40...0x7E).contains(octet) else { return finish(parameters, octet) }
      // A control character aborts a sequence.
      guard octet >= 0x20, octet < 0x7F, parameters.count < Self.longestSequence else {
        state = .ground
        return octet < 0x20 ? takeGround(octet) : keys.append(.unknown)
      }
      parameters.append(octet)
      state = .sequence(parameters)
    case .paste(var pasted):
      state = .ground
      pasted.append(octet)
      // Of a paste that is too long, the last octets are kept in a window, so that its end is found.
      if pasted.count > Self.longestPaste + Self.pasteEnd.count { pasted.remove(at: Self.longestPaste) }
      if pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
        return keys.append(.paste(Self.pasteText(pasted.dropLast(Self.pasteEnd.count))))
      }
      state = .paste(pasted)
    }
  }

  private mutating func takeGround(_ octet: UInt8) {
    let followsReturn = endsWithReturn
    endsWithReturn = octet == 0x0D
    if octet >= 0x20, octet != 0x7F { return text.append(octet) }
    // CR LF is one line end.
    if octet == 0x0A, followsReturn { return }
    flushText(isWhole: true)
    if octet == Self.escape { state = .escape } else { keys.append(Self.control(octet)) }
  }

  private mutating func takeEscape(_ octet: UInt8) {
    state = .ground
    switch octet {
    case UInt8(ascii: "["): state = .sequence([])
    case UInt8(ascii: "O"): state = .singleShift
    case Self.escape: state = .escape
    case UInt8(ascii: "b"), UInt8(ascii: "B"): keys.append(.wordLeft)
    case UInt8(ascii: "f"), UInt8(ascii: "F"): keys.append(.wordRight)
    case UInt8(ascii: "d"), UInt8(ascii: "D"): keys.append(.killWordForward)
    case 0x08, 0x7F: keys.append(.killWord)
    case 0x80...: text.append(octet)
    default: keys.append(.unknown)
    }
  }

  private mutating func finish(_ parameters: [UInt8], _ final: UInt8) {
    state = parameters == Array("200".utf8) && final == UInt8(ascii: "~") ? .paste([]) : .ground
    if case .ground = state { keys.append(Self.final(final, parameters: parameters)) }
  }

  /// Emits the typed text; an incomplete character waits, unless another kind of input has followed.
  private mutating func flushText(isWhole: Bool) {
    let kept = isWhole ? 0 : Self.lengthOfUnfinishedCharacter(at: text[...])
    let whole = text.dropLast(kept)
    if !whole.isEmpty { keys.append(.text(String(decoding: whole, as: UTF8.self))) }
    text = Array(text.suffix(kept))
  }

  /// The number of octets at the end that begin an incomplete character.
  private static func lengthOfUnfinishedCharacter(at octets: ArraySlice<UInt8>) -> Int {
    for (back, octet) in octets.suffix(3).reversed().enumerated() {
      if octet & 0xC0 == 0x80 { continue }
      let length = octet >= 0xF0 && octet < 0xF5 ? 4 : octet >= 0xE0 ? 3 : octet >= 0xC2 ? 2 : 1
      return octet < 0xF5 && length > back + 1 ? back + 1 : 0
    }
    return 0
  }

  /// Line breaks become LF; other control characters except the tab are removed.
  private static func pasteText(_ octets: some Sequence<UInt8>) -> String {
    let text = String(decoding: Array(octets), as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars
    where scalar.properties.generalCategory != .control || scalar == "\n" || scalar == "\t" { kept.append(scalar) }
    return String(kept)
  }
}

extension LineEditorKeyReader {
  private static func control(_ octet: UInt8) -> LineEditorKey {
    switch octet {
    case 0x01: .home
    case 0x02: .left
    case 0x03: .interrupt
    case 0x04: .endOfInput
    case 0x05: .end
    case 0x06: .right
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x0B: .killToEnd
    case 0x0C: .clearScreen
    case 0x0E: .next
    case 0x10: .previous
    case 0x14: .transpose
    case 0x15: .killToStart
    case 0x17: .killWord
    case 0x19: .yank
    default: .unknown
    }
  }

  /// Decodes a sequence by its final octet. The second parameter holds the modifiers: 5 is Ctrl, 3 is Alt.
  private static func final(_ octet: UInt8, parameters: [UInt8]) -> LineEditorKey {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
    let isHeld = numbers.count > 1 && [3, 5, 7].contains(numbers[1])
    switch octet {
    case UInt8(ascii: "A"): return .previous
    case UInt8(ascii: "B"): return .next
    case UInt8(ascii: "C"): return isHeld ? .wordRight : .right
    case UInt8(ascii: "D"): return isHeld ? .wordLeft : .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "~"):
      switch numbers.first ?? nil {
      case 1, 7: return .home
      case 4, 8: return .end
      case 3: return isHeld ? .killWordForward : .delete
      default: return .unknown
      }
    default: return .unknown
    }
  }
}
