extension CompletionScript {
  var zsh: String {
    """
    #compdef \(name)
    \(heading(.zsh))
    # As a file called _\(name) in a folder of $fpath, or: eval "$(\(name) completion zsh)"

    # Adds what '\(name)' itself knows for this place of a line of the command that is given.
    __\(name)_ask() {
      local -a found
      found=(${(f)"$(\(name) completion values -- "$@" "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
      compadd -S '' -- ${(M)found:#*=}
      compadd -- ${found:#*=}
    }

    \(entries.map(zsh).joined(separator: "\n\n"))

    if [ "$funcstack[1]" = "_\(name)" ]; then
      _\(name) "$@"
    elif (( $+functions[compdef] )); then
      compdef _\(name) \(name)
    fi

    """
  }

  private func function(_ path: [String]) -> String { "_" + path.joined(separator: "_").replacing("-", with: "_") }

  private func zsh(_ entry: Entry) -> String {
    var specifications = entry.options.map { zsh($0, in: entry) }
    let children = entry.node.subcommands
    if children.isEmpty {
      specifications += entry.node.arguments.map { argument in
        let optional = argument.isOptional ? "::" : ":"
        return Self.quoted(
          "\(optional)\(Self.zshText(argument.help)):\(zsh(Values(placeholder: argument.name), in: entry))")
      }
    } else {
      specifications += ["'(-): :->command'", "'(-)*:: :->arguments'"]
    }
    var lines = ["\(function(entry.path))() {", "  local context state state_descr line", "  typeset -A opt_args"]
    lines.append("  _arguments -C -s \\")
    lines += specifications.dropLast().map { "    \($0) \\" }
    lines += specifications.suffix(1).map { "    \($0)" }
    if !children.isEmpty {
      lines += ["  case $state in", "    (command)", "      local -a subcommands=("]
      lines += (children.map { ($0.name, $0.abstract) } + [("help", "Show help information.")]).map {
        "        " + Self.quoted("\($0.0.replacing(":", with: "\\:")):\($0.1)")
      }
      lines += ["      )", "      _describe -t commands command subcommands", "      ;;", "    (arguments)"]
      lines += ["      case ${words[1]} in"]
      lines += children.map { "        (\($0.name)) \(function(entry.path + [$0.name])) ;;" }
      lines += ["      esac", "      ;;", "  esac"]
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func zsh(_ option: Option, in entry: Entry) -> String {
    let help = "[\(Self.zshText(option.help))]"
    var value = ""
    if let placeholder = option.placeholder {
      value = ":\(placeholder):\(zsh(Values(placeholder: placeholder), in: entry))"
    }
    let repeats =
      switch option.kind {
      case .counter, .values: "*"
      case .flag, .value: ""
      }
    guard let letter = option.letter else { return Self.quoted("\(repeats)\(option.spelling)\(help)\(value)") }
    let exclusion = repeats.isEmpty ? Self.quoted("(-\(letter) \(option.spelling))") : "'*'"
    return "\(exclusion){-\(letter),\(option.spelling)}\(Self.quoted(help + value))"
  }

  private func zsh(_ values: Values, in entry: Entry) -> String {
    // The blank keeps what _arguments would add to the words.
    if values.areAsked { return " __\(name)_ask \(entry.path.dropFirst().joined(separator: " "))" }
    let words = "(\(values.words.joined(separator: " ")))"
    if values.words.isEmpty { return values.includesFiles ? "_files" : " " }
    return values.includesFiles ? "{_alternative \"words:word:\(words)\" \"files:file:_files\"}" : words
  }

  private static func zshText(_ text: String) -> String {
    var result = ""
    for character in text {
      if "[]:\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }
}
