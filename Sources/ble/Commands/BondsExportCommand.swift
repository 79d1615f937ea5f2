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

  static let format = Parameter.option(
    "format", "format", standard: "json",
    "json, or capture: the keys as 'ble capture show --keys' takes them, which needs '--with-keys'.", \Format.self)
  static let file = Parameter.option(
    "output", "file", "Write to a file that only you may read (mode 0600), and replace it (default: standard output)",
    \FilePath.text)

  static let node = CommandNode(
    "export", abstract: "Export bonds; keys only where you ask for them.", BondsCommand.optionalDevice,
    BondsCommand.withKeys, format, file, AdapterFilter.parameter
  ) { (target, withKeys, format, path, filter) throws(UsageError) in
    if format == .capture, !withKeys { throw UsageError("'--format capture' is unusable without '--with-keys'") }
    return BondsExportCommand(target: target, withKeys: withKeys, format: format, path: path, filter: filter)
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
