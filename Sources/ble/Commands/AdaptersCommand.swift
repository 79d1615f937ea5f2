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
    if output.isJSON {
      return output.json(.combined(list.json, .object(["programs": .array(machine.programs().map(\.json))])))
    }
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

}

extension AdapterList: Report {
  static let members: [ReportMember<Self>] = [
    .init("used") { .word((try? $0.choice.name.get())?.description) },
    .init("source") { .word($0.choice.source.word) },
    .init("mistake") {
      if case .failure(let mistake) = $0.choice.name { .text(mistake.description) } else { .word(nil) }
    },
    .init("adapters") { .parts($0.adapters) },
  ]
}

extension AdapterList.Adapter: Report {
  static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.name) }, .init("kind") { .word($0.kind.rawValue) },
    .init("state") { .text($0.state.inert) }, .init("usable") { .flag($0.isUsable) },
    .init("address") { .word($0.system?.information?.address) }, .init("driver") { .text($0.system?.driver) },
    .init("bus") { .text($0.system?.bus) }, .init("holder") { .text($0.system?.holderTitle?.inert) },
    .init("powered") { .flag($0.system?.information?.isPowered) }, .init("version") { .text($0.system?.version) },
    .init("low_energy") { .flag($0.system?.information?.supportsLowEnergy) },
    .init("kernel_counters") { .json($0.system?.statistics?.json) },
  ]
}

extension KernelAdapterStatistics: Report {
  package static let members: [ReportMember<Self>] = [
    .init("sent_octets") { .integer(Int($0.sentOctets)) },
    .init("received_octets") { .integer(Int($0.receivedOctets)) },
    .init("send_errors") { .integer(Int($0.sendErrors)) },
    .init("receive_errors") { .integer(Int($0.receiveErrors)) },
  ]
}

extension RunningPrograms.Program: Report {
  package static let members: [ReportMember<Self>] = [
    .init("process") { .integer(Int($0.process)) }, .init("program") { .text($0.counters?.program.inert) },
    .init("adapters") { $0.counters.map { .parts($0.entries) } ?? .word(nil) },
  ]
}

extension ProgramCounters.Entry: Report {
  package static let members: [ReportMember<Self>] = [
    .init("name") { .text($0.adapter.description.inert) }, .init("resets") { .integer($0.counters.resets) },
    .init("restarted_scans") { .integer($0.counters.restartedScans) },
    .init("lost_links") { entry in
      let lost = entry.counters.lostLinks.map { JSONValue.Member(key: $0.key.word, value: .integer($0.value)) }
      return .json(.object(lost.sorted { $0.key < $1.key }))
    },
    .init("sent_octets") { .integer($0.counters.sentOctets.map { Int(clamping: $0) }) },
    .init("received_octets") { .integer($0.counters.receivedOctets.map { Int(clamping: $0) }) },
  ]
}
