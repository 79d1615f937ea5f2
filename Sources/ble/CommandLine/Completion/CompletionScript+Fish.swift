extension CompletionScript {
  var fish: String {
    let paths = entries.dropFirst().map { Self.fishText($0.words) }.joined(separator: " ")
    var lines = [
      heading(.fish), "# As \(name).fish in ~/.config/fish/completions, or: \(name) completion fish | source", "",
      "function __\(name)_at", "  set -l command \(name)", "  for word in (commandline -opc)[2..-1]",
      "    if contains -- \"$command $word\" \(paths)", "      set command \"$command $word\"", "    end", "  end",
      "  test \"$command\" = \"$argv\"", "end", "", "complete -c \(name) -f",
    ]
    for entry in entries { lines += fish(entry) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fish(_ entry: Entry) -> [String] {
    let start = "complete -c \(name) -n \(Self.fishText("__\(name)_at \(entry.words)"))"
    var lines = entry.node.subcommands.map {
      "\(start) -a \($0.name) -d \(Self.fishText($0.abstract))"
    }
    lines += entry.options.map { option in
      var line = "\(start) -l \(option.name)"
      if let letter = option.letter { line += " -s \(letter)" }
      if let placeholder = option.placeholder {
        let values = Values(placeholder: placeholder)
        line += values.includesFiles ? " -r -F" : " -x"
        if !values.words.isEmpty { line += " -a \(Self.fishText(values.words.joined(separator: " ")))" }
      }
      return line + " -d \(Self.fishText(option.help))"
    }
    guard entry.node.subcommands.isEmpty else { return lines }
    let values = words(in: entry)
    if !values.words.isEmpty { lines.append("\(start) -a \(Self.fishText(values.words.joined(separator: " ")))") }
    if values.includesFiles { lines.append("\(start) -F") }
    return lines
  }

  /// Fish has escapes within single quotes.
  private static func fishText(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
