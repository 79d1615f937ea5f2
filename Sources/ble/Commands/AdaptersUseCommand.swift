import BLEAdapter
import BLEDefaultStack

/// `ble adapters use`: stores the choice of an adapter for all programs of this user.
struct AdaptersUseCommand: ToolCommand {
  static let name = Parameter<AdapterName?>.argument(optional: "name", "The adapter, as 'ble adapters' lists it.")
  static let none = Parameter.flag("none", "Remove the stored choice.")

  static let node = CommandNode(
    "use", abstract: "Choose the adapter of all programs that name none.",
    discussion: """
      Writes the name into the configuration file, which programs of this user read when they want their first adapter. What \
      BLE_ADAPTER or --adapter names comes before it, and programs that run keep the adapter that they have. Whether the \
      adapter is there is not looked at: 'ble doctor' says what is missing.
      """,
    name, none, Parameter.line
  ) { (adapter, isNone, line) throws(UsageError) in
    if adapter == nil, !isNone { throw UsageError("Missing expected argument '<name>'") }
    if adapter != nil, isNone { throw UsageError("'--none' and the name of an adapter contradict each other") }
    if line.isGiven(CommonOptions.adapter) {
      throw UsageError("'--adapter' is unusable here: say 'ble adapters use <name>'")
    }
    return AdaptersUseCommand(adapter: adapter)
  }

  /// `nil`: removes the choice.
  let adapter: AdapterName?

  func run(in session: Session) async throws(ToolError) {
    let path: String
    do throws(NamingMistake) {
      path = try KeptChoice(in: Machine.this().surroundings).keep(adapter)
    } catch {
      throw ToolError(.noInput, "\(error.description.inert).")
    }
    if session.output.isJSON {
      return session.output.json(
        .object(["adapter": .string(orNull: adapter?.description), "file": .string(path)]))
    }
    let sentence =
      adapter.map { "Programs that name no adapter use \($0) from now on" } ?? "No adapter is chosen any more"
    session.output.note("\(sentence) (\(path)).".inert)
    if let variable = Machine.this().variable("BLE_ADAPTER") {
      session.output.note("BLE_ADAPTER is set to '\(variable)' here, which comes before it.".inert)
    }
  }
}
