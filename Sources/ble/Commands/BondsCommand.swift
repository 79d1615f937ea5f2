/// `ble bonds`: the stored keys of paired devices, for all adapters of this user.
enum BondsCommand {
  static let device = Parameter<Target>.argument("device", "The other device: its name, identifier or address.")
  static let optionalDevice = Parameter<Target?>.argument(
    optional: "device", "The other device: its name, identifier or address.")
  static let withKeys = Parameter.flag(
    "with-keys", "Print the keys as well. With them, anybody can decrypt the traffic and impersonate both devices.")

  static let group = CommandNode(
    group: "bonds", abstract: "Show and remove the keys that are kept of paired devices.",
    discussion: """
      Bonds belong to one device of yours (an adapter, or a program on the embedded radio) and one other. They are read \
      from files: no adapter is opened, and running programs continue. A program whose bond is removed notices at once and \
      closes its link to that device.
      """,
    subcommands: [
      BondsListCommand.node, BondsShowCommand.node, BondsRemoveCommand.node, BondsExportCommand.node,
    ])
}

/// `ble bonds list`.
struct BondsListCommand: ToolCommand {
  static let node = CommandNode(
    "list", abstract: "List the bonds of all adapters.", AdapterFilter.parameter, make: Self.init)

  let filter: AdapterFilter?

  func run(in session: Session) async throws(ToolError) {
    if let system = filter?.system { return try await SystemBonds(system, session).list() }
    let shelf = try BondShelf.open(filter)
    let output = session.output
    if output.isJSON {
      output.json(.object(["bonds": .array(shelf.bonds.map { $0.json(withKeys: false) })]))
    } else {
      if shelf.bonds.isEmpty, shelf.failures.isEmpty { output.note("There are no bonds.") }
      var adapter: String?
      for kept in shelf.bonds {
        if kept.adapterTitle != adapter { output.collect("Bonds of \(kept.adapterTitle):") }
        adapter = kept.adapterTitle
        output.collect("  " + kept.line(output.style))
      }
    }
    try shelf.requireAll()
  }
}

/// `ble bonds show`.
struct BondsShowCommand: ToolCommand {
  static let node = CommandNode(
    "show", abstract: "Show all that is kept of a device.", BondsCommand.device, BondsCommand.withKeys,
    AdapterFilter.parameter, make: Self.init)

  let target: Target
  let withKeys: Bool
  let filter: AdapterFilter?

  func run(in session: Session) async throws(ToolError) {
    if filter?.system != nil {
      throw ToolError(.unavailable, "The Bluetooth daemon keeps these keys and does not show them.")
    }
    let found = try BondShelf.open(filter).bonds(with: target)
    let output = session.output
    if output.isJSON {
      return output.json(.object(["bonds": .array(found.map { $0.json(withKeys: withKeys) })]))
    }
    for kept in found {
      for line in kept.lines(output.style, withKeys: withKeys) { output.collect(line) }
    }
  }
}

/// `ble bonds remove`, and `ble unpair`.
struct BondsRemoveCommand: ToolCommand {
  static let all = Parameter.flag("all", "Remove all bonds, of all devices.")

  static let node = CommandNode(
    "remove", abstract: "Remove the bond with a device, or all.", BondsCommand.optionalDevice, all,
    AdapterFilter.parameter
  ) { (target, isAll, filter) throws(UsageError) in
    if (target == nil) != isAll {
      throw UsageError(
        target == nil ? "Missing '<device>', or '--all'" : "'<device>' and '--all' contradict each other")
    }
    return BondsRemoveCommand(target: target, filter: filter)
  }

  static let unpairNode = CommandNode(
    "unpair", abstract: "Forget a device: remove its keys here.",
    discussion: """
      The other device keeps its keys until it forgets as well. If it is the one that forgot, connecting fails until this \
      side has forgotten too; then the two can be paired again. An open link is closed.
      """,
    BondsCommand.device, AdapterFilter.parameter, make: Self.init)

  /// `nil`: all.
  let target: Target?
  let filter: AdapterFilter?

  func run(in session: Session) async throws(ToolError) {
    if let system = filter?.system { return try await SystemBonds(system, session).remove(target) }
    let shelf = try BondShelf.open(filter)
    let removed: [KeptBond]
    if let target { removed = try shelf.bonds(with: target) } else { removed = shelf.bonds }
    try shelf.remove(removed)
    let output = session.output
    if output.isJSON {
      output.json(.object(["removed": .array(removed.map { $0.json(withKeys: false) })]))
    } else {
      for kept in removed { output.note("Removed the bond of \(kept.adapterTitle) with \(kept.title).") }
      if removed.isEmpty { output.note("There are no bonds.") }
    }
    if target == nil { try shelf.requireAll() }
  }
}
