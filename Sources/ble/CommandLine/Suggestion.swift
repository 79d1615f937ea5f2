import BLESession

/// Finds the word that somebody probably meant: `BLESession`'s, for all files of the tool.
enum Suggestion {
  static func sentence(for word: String, among candidates: [String]) -> String {
    BLESession.Suggestion.sentence(for: word, among: candidates)
  }

  static func nearest(to word: String, among candidates: [String]) -> String? {
    BLESession.Suggestion.nearest(to: word, among: candidates)
  }

  static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    BLESession.Suggestion.distance(left, right)
  }
}
