import BLEAdapter

/// `ble adapters`: what a program can be told to use.
struct AdaptersCommand: Command {
  static let node = CommandNode(
    "adapters", abstract: "List the Bluetooth adapters that can be named.",
    discussion: """
      Looks for the airs of the embedded radio, for serial lines and for the system's own adapters, and says which one is \
      used where nothing else is named. Nothing is opened and nothing changed. 'ble doctor' says what is missing.
      """
  ) { (_) throws(UsageError) in AdaptersCommand() }

  func run(in session: Session) async throws(ToolError) {
    let list = AdapterList(on: .this)
    let output = session.output
    if output.isJSON { return output.json(list.json) }
    let width = list.adapters.map { ($0.name ?? "-").displayWidth }.max() ?? 0
    for adapter in list.adapters {
      let name = (adapter.name ?? "-").padded(to: width)
      output.collect("\(list.isChosen(adapter) ? "*" : " ") \(output.style.strong(name))  \(adapter.state)")
    }
    output.collect("")
    switch list.choice.name {
    case .success(let name): output.collect("Used: \(name), because \(list.choice.reason).")
    case .failure(let mistake): output.collect("Used: none. \(list.choice.source.description): \(mistake.reason)")
    }
    output.collect("")
    output.collect("What can be named besides:")
    for (name, meaning) in AdapterList.otherNames { output.collect("  \(name.padded(to: 26))\(meaning)") }
  }
}

extension AdapterChoice {
  /// The second half of a sentence.
  var reason: String {
    switch source {
    case .environment: "BLE_ADAPTER or --adapter says so"
    case .configuration(let path): "\(path) says so"
    case .standard: "nothing else is named"
    }
  }
}

extension AdapterList {
  func isChosen(_ adapter: Adapter) -> Bool {
    guard case .success(let name) = choice.name, let own = adapter.name else { return false }
    let text = name.description
    return text == own || text.hasPrefix(own + "/") || text.hasPrefix(own + ",")
  }

  var json: JSONValue {
    var used = JSONValue.null
    var mistake = JSONValue.null
    switch choice.name {
    case .success(let name): used = .string(name.description)
    case .failure(let error): mistake = .string(error.reason)
    }
    let source =
      switch choice.source {
      case .environment: "environment"
      case .configuration: "configuration"
      case .standard: "standard"
      }
    return .object([
      "used": used, "source": .string(source), "mistake": mistake,
      "adapters": .array(
        adapters.map {
          .object([
            "name": .string(orNull: $0.name), "kind": .string($0.kind.rawValue), "state": .string($0.state),
            "usable": .bool($0.isUsable),
          ])
        }),
    ])
  }
}
