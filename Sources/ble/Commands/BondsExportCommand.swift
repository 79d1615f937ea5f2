import BLECapture
import BLECore
import BLEFiles
import BLEHost

/// `ble bonds export`: bonds as a document, for other programs.
struct BondsExportCommand: ToolCommand {
  enum Format: String, CaseIterable, ArgumentValue {
    case json
    case capture
  }

  static let format = Option.value(
    "format", "format", standard: "json",
    "json, or capture: the keys as 'ble capture show --keys' takes them, which needs '--with-keys'.")
  static let file = Option.value(
    "output", "file", "Write to a file that only you may read (mode 0600), and replace it (default: standard output)")

  static let node = CommandNode(
    "export", abstract: "Export bonds; keys only where you ask for them.", arguments: [BondsCommand.optionalDevice],
    options: [BondsCommand.withKeys, format, file, AdapterFilter.option]
  ) { (arguments) throws(UsageError) in
    let format: Format = try arguments.value(of: format) ?? .json
    let withKeys = arguments.isGiven(BondsCommand.withKeys)
    if format == .capture, !withKeys { throw UsageError("'--format capture' is unusable without '--with-keys'") }
    let path: String? = try arguments.value(of: file)
    if path == "" { throw UsageError("The value '' is invalid for '\(file.label)': expected the path of a file") }
    return BondsExportCommand(
      target: try arguments.value(ofOptional: BondsCommand.optionalDevice), withKeys: withKeys, format: format,
      path: path, filter: try AdapterFilter(arguments))
  }

  /// `nil`: all.
  let target: Target?
  let withKeys: Bool
  let format: Format
  /// `nil`: the standard output.
  let path: String?
  let filter: AdapterFilter?

  func run(in session: Session) async throws(ToolError) {
    let shelf = try BondShelf.open(filter)
    let bonds: [KeptBond]
    if let target { bonds = try shelf.bonds(with: target) } else { bonds = shelf.bonds }
    if target == nil { try shelf.requireAll() }
    let text = text(of: bonds)
    if let path, path != "-" {
      try PrivateFile.replace(path, by: Array(text.utf8))
      session.output.note("Exported \(bonds.count) bonds to \(path.inert)\(withKeys ? ", with keys" : "").")
    } else {
      session.output.raw(Array(text.utf8))
    }
  }

  private func text(of bonds: [KeptBond]) -> String {
    switch format {
    case .json: return JSONValue.object(["bonds": .array(bonds.map { $0.json(withKeys: withKeys) })]).text + "\n"
    case .capture:
      var text = CaptureKeys.heading
      for kept in bonds {
        let keys = kept.bond.keys
        for (key, role) in [(keys.keyAsCentral, "central"), (keys.keyAsPeripheral, "peripheral")] {
          guard let key else { continue }
          text += CaptureKeys.line(longTermKey: key.key, remark: "as \(role), with \(kept.bond.identity)")
        }
      }
      return text
    }
  }
}
