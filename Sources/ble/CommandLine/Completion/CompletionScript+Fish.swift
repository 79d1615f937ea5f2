extension CompletionScript {
  var fish: String {
    let paths = entries.dropFirst().map { Self.fishText($0.words) }.joined(separator: " ")
    var lines = [
      heading(.fish), "# As \(name).fish in ~/.config/fish/completions, or: \(name) completion fish | source", "",
      "function __\(name)_at", "  set -l command \(name)", "  for word in (commandline -opc)[2..-1]",
      "    if contains -- \"$command $word\" \(paths)", "      set command \"$command $word\"", "    end", "  end",
      "  test \"$command\" = \"$argv\"", "end", "",
      "function __\(name)_ask",
      "  \(name) completion values -- (commandline -opc)[2..-1] (commandline -ct | string collect --allow-empty) 2>/dev/null",
      "end", "", "complete -c \(name) -f",
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
        line += (values.includesFiles ? " -r -F" : " -x") + offer(of: values)
      }
      return line + " -d \(Self.fishText(option.help))"
    }
    guard entry.node.subcommands.isEmpty else { return lines }
    let values = words(in: entry)
    let candidates = offer(of: values)
    if !candidates.isEmpty { lines.append(start + candidates) }
    if values.includesFiles { lines.append("\(start) -F") }
    return lines
  }

  /// The option of `complete` with the words.
  private func offer(of values: Values) -> String {
    if values.areAsked { return " -a '(__\(name)_ask)'" }
    return values.words.isEmpty ? "" : " -a \(Self.fishText(values.words.joined(separator: " ")))"
  }

  /// Fish has escapes within single quotes.
  private static func fishText(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
