import BLEDeviceFiles

/// The values that a shell's script asks the tool for, because they are not known when the script is made: devices that were heard, the
/// commands of a device file and their fields, and words whose place among the arguments counts.
struct CompletionValues {
  let parser: CommandLineParser
  /// Devices as a target names them. A value is called only where devices are wanted.
  let devices: (_ typed: String) -> [String]

  /// The place of a line at which a word is being typed.
  private struct Place {
    var path: [CommandNode]
    var positional: [String] = []
    /// An option whose value is missing.
    var option: Option?

    /// The placeholder of the value at this place.
    var placeholder: String? {
      if let option { return option.placeholder }
      guard let node = path.last, node.subcommands.isEmpty else { return nil }
      let repeated = node.arguments.firstIndex(where: \.isRepeated) ?? .max
      let index = min(positional.count, repeated)
      return node.arguments.indices.contains(index) ? node.arguments[index].name : nil
    }
  }

  /// What the last of the words can become. The words are those of the command line behind the tool's name.
  func candidates(for words: [String]) -> [String] {
    guard let typed = words.last else { return [] }
    let place = place(after: words.dropLast())
    switch place.placeholder {
    case "target", "device": return devices(typed)
    case "command": return place.positional.first.map(commands) ?? []
    case "field=value": return typed == "=" ? [] : fields(place.positional)
    case let placeholder?: return CompletionScript.Values(placeholder: placeholder).words
    case nil: return []
    }
  }

  private func place(after words: ArraySlice<String>) -> Place {
    var place = Place(path: [parser.root])
    for word in words {
      // bash takes '--format=hex' and 'pin=1' for three words.
      if word == "=", place.option != nil { continue }
      if place.option != nil {
        place.option = nil
      } else if word.hasPrefix("--") {
        let known = parser.ownOptions(of: place.path) + parser.commonOptions
        place.option = known.first { $0.spelling == word && $0.placeholder != nil }
      } else if let node = place.path.last?.subcommands.first(where: { $0.name == word }) {
        place.path.append(node)
      } else if !word.hasPrefix("-") {
        place.positional.append(word)
      }
    }
    return place
  }

  // MARK: Device files

  private func description(of path: String) -> DeviceDescription? { try? DeviceFileSource(path: path).load() }

  private func commands(of path: String) -> [String] {
    (description(of: path)?.commands.map(\.name) ?? []) + DeviceAction.words
  }

  /// The fields of the command that were not given yet: `pin=`.
  private func fields(_ positional: [String]) -> [String] {
    guard positional.count >= 2, positional.last != "=",
      let command = description(of: positional[0])?.command(named: positional[1])
    else { return [] }
    let given = positional.dropFirst(2).map { $0.prefix { $0 != "=" } }
    return command.parameters.map(\.name).filter { name in !given.contains { $0 == name } }.map { $0 + "=" }
  }
}
