extension CompletionScript {
  var bash: String {
    let paths = entries.dropFirst().map { "\"\($0.words)\"" }.joined(separator: " | ")
    return """
      \(heading(.bash))
      # To be sourced: eval "$(\(name) completion bash)"

      # Adds what completes the current word among the words of $1 and, where $2 says so, the names of files.
      _\(name)_offer() {
        local candidate
        while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -W "$1" -- "$word")
        if [ "${2-}" = files ]; then
          compopt -o filenames 2>/dev/null
          while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$word")
        fi
      }

      # Adds what '\(name)' itself knows for this place of the line; fails where nothing of it begins as typed.
      _\(name)_ask() {
        local candidate nothing=1
        local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
        while IFS= read -r candidate; do
          printf -v candidate '%q' "$candidate"
          if [[ "$candidate" != "$word"* ]]; then continue; fi
          nothing=0
          COMPREPLY+=("$candidate")
          if [[ "$candidate" == *= ]]; then compopt -o nospace 2>/dev/null; fi
        done < <(\(name) completion values -- "${words[@]//\\\\/}" 2>/dev/null)
        return $nothing
      }

      _\(name)() {
        local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
        local command="\(name)" index
        COMPREPLY=()
        # '--format=hex' comes in three words.
        if [ "$word" = = ]; then word=""; elif [ "$previous" = = ]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
        for ((index = 1; index < COMP_CWORD; index++)); do
          case "$command ${COMP_WORDS[index]}" in
            \(paths)) command="$command ${COMP_WORDS[index]}" ;;
          esac
        done
        case "$command" in
      \(entries.map(bash).joined(separator: "\n"))
        esac
      }

      complete -F _\(name) \(name)

      """
  }

  private func bash(_ entry: Entry) -> String {
    var lines = ["    \"\(entry.words)\")"]
    let valued = entry.options.filter { $0.placeholder != nil }
    if !valued.isEmpty {
      lines.append("      case \"$previous\" in")
      for option in valued {
        lines.append("        \(option.spelling)) \(bash(Values(placeholder: option.placeholder ?? "")))return ;;")
      }
      lines.append("      esac")
    }
    let options = entry.options.flatMap { [$0.spelling] + ($0.letter.map { ["-\($0)"] } ?? []) }
    lines.append("      if [[ \"$word\" == -* ]]; then")
    lines.append("        \(bash(Values(words: options)))return")
    lines.append("      fi")
    let values = words(in: entry)
    if values.areAsked { lines.append("      _\(name)_ask && return") }
    lines.append("      \(bash(Values(words: values.words, includesFiles: values.includesFiles))):")
    lines.append("      ;;")
    return lines.joined(separator: "\n")
  }

  private func bash(_ values: Values) -> String {
    guard !values.isEmpty else { return "" }
    if values.areAsked { return "_\(name)_ask; " }
    let words = Self.quoted(values.words.joined(separator: " "))
    return "_\(name)_offer \(words)\(values.includesFiles ? " files" : ""); "
  }

  /// The values of positional arguments.
  func words(in entry: Entry) -> Values {
    if !entry.node.subcommands.isEmpty { return Values(words: entry.node.subcommands.map(\.name) + ["help"]) }
    let values = entry.node.arguments.map { Values(placeholder: $0.name) }
    return Values(
      words: values.flatMap(\.words), includesFiles: values.contains(where: \.includesFiles),
      areAsked: values.contains(where: \.areAsked))
  }
}
