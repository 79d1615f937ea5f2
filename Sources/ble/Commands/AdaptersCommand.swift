import BLEAdapter
import BLECore
import BLEDefaultStack
import BLETransports

/// `ble adapters`: the adapters that can be used.
struct AdaptersCommand: ToolCommand {
  static let node = CommandNode(
    "adapters", abstract: "List the available Bluetooth adapters.",
    discussion: """
      Looks for the airs of the embedded radio, for serial lines and for the system's own adapters, and says which one is \
      used where nothing else is named. Nothing is opened and nothing changed. 'ble doctor' says what is missing.

      With --json also what has happened on the adapters of running programs (resets, scans that were begun again, links that \
      were lost, octets), which these are asked for, and what the kernel counts for each of its adapters.
      """, subcommands: [AdaptersUseCommand.node], make: Self.init)

  func run(in session: Session) async throws(ToolError) {
    let machine = Machine.this(option: session.options.adapter)
    let list = AdapterList(on: machine)
    let output = session.output
    if output.isJSON { return output.json(.combined(list.json, Self.programs(on: machine))) }
    let width = list.adapters.map(\.name.displayWidth).max() ?? 0
    for adapter in list.adapters {
      let name = adapter.name.padded(to: width)
      output.collect("\(list.isChosen(adapter) ? "*" : " ") \(output.style.strong(name))  \(adapter.state.inert)")
    }
    output.collect("")
    switch list.choice.name {
    case .success(let name): output.collect("Used: \(name), because \(list.choice.reason.inert).")
    case .failure(let mistake): output.collect("Used: none. \(mistake.description.inert).")
    }
    output.collect("")
    output.collect("Other adapter names:")
    for (name, meaning) in AdapterList.otherNames { output.collect("  \(name.padded(to: 27))\(meaning)") }
  }

  private static func programs(on machine: Machine) -> JSONValue {
    .object(["programs": .array(machine.programs().map(\.json))])
  }
}

extension AdapterChoice.Source {
  /// The word for it in JSON.
  var word: String {
    switch self {
    case .option: "option"
    case .environment: "environment"
    case .configuration: "configuration"
    case .machine: "machine"
    case .standard: "standard"
    }
  }
}

extension AdapterList {
  func isChosen(_ adapter: Adapter) -> Bool {
    guard case .success(let name) = choice.name else { return false }
    let (text, own) = (name.description, adapter.name)
    return text == own || text.hasPrefix(own + "/") || text.hasPrefix(own + ",")
  }

  var json: JSONValue {
    var used = JSONValue.null
    var mistake = JSONValue.null
    switch choice.name {
    case .success(let name): used = .string(name.description)
    case .failure(let error): mistake = .string(error.description)
    }
    return .object([
      "used": used, "source": .string(choice.source.word), "mistake": mistake,
      "adapters": .array(
        adapters.map { adapter in
          let (system, information) = (adapter.system, adapter.system?.information)
          return .object([
            "name": .string(adapter.name), "kind": .string(adapter.kind.rawValue),
            "state": .string(adapter.state.inert),
            "usable": .bool(adapter.isUsable), "address": .string(orNull: information?.address),
            "driver": .string(orNull: system?.driver), "bus": .string(orNull: system?.bus),
            "holder": .string(orNull: system?.holderTitle?.inert),
            "powered": information.map { .bool($0.isPowered) } ?? .null,
            "version": .string(orNull: system?.version),
            "low_energy": information.map { .bool($0.supportsLowEnergy) } ?? .null,
            "kernel_counters": system?.statistics?.json ?? .null,
          ])
        }),
    ])
  }
}

extension KernelAdapterStatistics {
  fileprivate var json: JSONValue {
    .object([
      "sent_octets": .integer(Int(sentOctets)), "received_octets": .integer(Int(receivedOctets)),
      "send_errors": .integer(Int(sendErrors)), "receive_errors": .integer(Int(receiveErrors)),
    ])
  }
}

extension RunningPrograms.Program {
  fileprivate var json: JSONValue {
    .object([
      "process": .integer(Int(process)), "program": .string(orNull: counters?.program.inert),
      "adapters": counters.map { .array($0.entries.map(\.json)) } ?? .null,
    ])
  }
}

extension ProgramCounters.Entry {
  fileprivate var json: JSONValue {
    let lost = counters.lostLinks.map { JSONValue.Member(key: $0.key.word, value: .integer($0.value)) }
      .sorted { $0.key < $1.key }
    return .object([
      "name": .string(adapter.description.inert), "resets": .integer(counters.resets),
      "restarted_scans": .integer(counters.restartedScans), "lost_links": .object(lost),
      "sent_octets": counters.sentOctets.map { .integer(Int(clamping: $0)) } ?? .null,
      "received_octets": counters.receivedOctets.map { .integer(Int(clamping: $0)) } ?? .null,
    ])
  }
}
