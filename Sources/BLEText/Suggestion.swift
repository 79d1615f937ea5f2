/// Finds the word that was probably meant.
package enum Suggestion {
  /// `. Did you mean '--json'?`, or an empty string where no word is similar.
  package static func sentence(for word: String, among candidates: [String]) -> String {
    nearest(to: word, among: candidates).map { ". Did you mean '\($0)'?" } ?? ""
  }

  /// The candidate with the smallest edit distance to `word`, if that is small; the first of several.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let typed = Array(word.lowercased().unicodeScalars.prefix(longest + 1))
    guard typed.count <= longest else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let letters = Array(candidate.lowercased().unicodeScalars.prefix(longest))
      let allowed = max(1, letters.filter { $0 != "-" }.count / 3)
      let distance = distance(typed, letters)
      // A prefix is similar as well: `--dup` for `--duplicates`.
      let isBeginning = typed.filter { $0 != "-" }.count >= 3 && letters.starts(with: typed)
      guard distance <= allowed || isBeginning else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// Longer words get no suggestion.
  private static let longest = 64

  /// The number of letters to insert, delete, replace or swap with their neighbour.
  package static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var rows = [Array(0...right.count)]
    for row in 1...left.count {
      var current = [row]
      for column in 1...right.count {
        let replaced = rows[row - 1][column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
        var cost = min(replaced, rows[row - 1][column] + 1, current[column - 1] + 1)
        let isSwap =
          row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]
        if isSwap { cost = min(cost, rows[row - 2][column - 2] + 1) }
        current.append(cost)
      }
      rows.append(current)
    }
    return rows[left.count][right.count]
  }
}
