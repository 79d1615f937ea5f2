/// A request as text for a terminal, and the answer from a typed line: for agents that ask by text.
extension PairingRequest {
  /// One line for people. No character in it acts on a terminal, whatever the peer's name contains. A question ends in such a way
  /// that the answer may be typed behind it.
  public var question: String {
    let method = method.rawValue
    switch kind {
    case .displayPasskey(let digits): return "\(method): type \(digits) on \(peer.title)"
    case .enterPasskey: return "\(method): the six digits that \(peer.title) shows (empty: refuse): "
    case .compare(let digits): return "\(method): does \(peer.title) show \(digits)? [y/N] "
    case .confirmJustWorks: return "Pair with \(peer.title)? Its identity is not verified (\(method)). [y/N] "
    case .replaceBond(of: let kept, let keptMethod):
      let claim =
        kept.address == peer.address
        ? "\(peer.title) pairs again by \(method), which does not prove that it is the same device."
        : "\(peer.title) pairs by \(method) and claims to be \(kept.title), which that does not prove."
      return "\(claim) Replace the keys of \(kept.title), which were made by \(keptMethod.rawValue)? [y/N] "
    }
  }

  /// Answers with a typed line: six digits where they are asked for, else `y` or `yes` to accept. An empty line, or any other
  /// word, refuses.
  ///
  /// - Returns: false, and no answer was given, if digits are asked for and the line has none: ask again.
  @discardableResult
  public func answer(typed line: String) -> Bool {
    let words = line.split(whereSeparator: \.isWhitespace)
    switch kind {
    case .displayPasskey: return true
    case .enterPasskey:
      if words.isEmpty {
        refuse()
        return true
      }
      // People write six digits as three and three.
      return enter(words.joined())
    case .compare, .confirmJustWorks, .replaceBond:
      let word = words.first?.lowercased()
      if words.count == 1, word == "y" || word == "yes" { accept() } else { refuse() }
      return true
    }
  }
}

extension PairingPeer {
  /// The name and the address, for people. A device chooses its name: control, format and other special characters are replaced.
  public var title: String {
    let plain = (name ?? "").unicodeScalars.prefix(60).map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "?"
      default: String(scalar)
      }
    }
    return plain.isEmpty ? "\(address)" : "\"\(plain.joined())\" (\(address))"
  }
}
