/// Splits a text into values of a maximum length in octets, between characters if possible.
package struct TextPieces: Sequence {
  private let text: String
  private let longest: Int

  package init(of text: String, atMost longest: Int) {
    self.text = text
    self.longest = longest
  }

  package func makeIterator() -> AnyIterator<[UInt8]> {
    var pieces: [[UInt8]] = []
    var piece: [UInt8] = []
    for character in text {
      let octets = Array(character.utf8)
      if piece.count + octets.count > longest, !piece.isEmpty {
        pieces.append(piece)
        piece = []
      }
      piece += octets
      // A character that is longer than a value, such as a letter with many combining marks, is split.
      while piece.count > longest {
        pieces.append(Array(piece.prefix(longest)))
        piece.removeFirst(longest)
      }
    }
    if !piece.isEmpty { pieces.append(piece) }
    return AnyIterator(pieces.makeIterator())
  }
}
