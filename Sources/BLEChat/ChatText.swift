import BLESession
import Foundation

/// Splits text into pieces of a maximum length in octets, at the boundaries of characters, or of scalars in a character that is longer.
enum ChatText {
  static func pieces(of content: Data, atMost limit: Int) -> [Data] {
    guard content.count > limit else { return [content] }
    var pieces: [Data] = []
    var piece = Data()
    for character in String(decoding: content, as: UTF8.self) {
      let octets = Data(String(character).utf8)
      if octets.count > limit {
        for scalar in character.unicodeScalars { add(Data(String(scalar).utf8), limit, &piece, &pieces) }
      } else {
        add(octets, limit, &piece, &pieces)
      }
    }
    return piece.isEmpty ? pieces : pieces + [piece]
  }

  private static func add(_ octets: Data, _ limit: Int, _ piece: inout Data, _ pieces: inout [Data]) {
    if piece.count + octets.count > limit, !piece.isEmpty {
      pieces.append(piece)
      piece = Data()
    }
    piece.append(octets)
  }

  /// The longest prefix of a text that fits into `limit` octets.
  static func prefix(of text: String, atMost limit: Int) -> String {
    String(decoding: pieces(of: Data(text.utf8), atMost: limit).first ?? Data(), as: UTF8.self)
  }
}
