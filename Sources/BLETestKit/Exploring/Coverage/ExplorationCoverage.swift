import BLEFaults
import BLEWire

/// An event that has struck, with what its devices did then.
struct EventStrike: Codable, Sendable {
  /// The kind of event; of a fault the kind of its action.
  let kind: String
  let activities: [DeviceActivity]
  /// The opcodes of the requests and indications whose answers were not there yet.
  let procedures: [UInt8]
}

extension Happening {
  /// The name of its column in tables.
  var column: String {
    if case .fault(let fault, _) = self { return "fault \(fault.action.kind.rawValue)" }
    return kind.rawValue
  }
}

/// What devices did when events struck them, in all worlds of an exploration: what was tried, and what was not. Circumstances
/// (`quirks`, `variedSchedule`, `lateCallbacks`) do not strike at a time, and are not in it.
public struct ExplorationCoverage: Codable, Sendable {
  /// How often events struck, by activity and kind.
  private(set) var activities: [DeviceActivity: [String: Int]] = [:]
  /// How often events struck, by the opcode that waited for its answer and by kind.
  private(set) var procedures: [UInt8: [String: Int]] = [:]
  /// The opcodes of the requests and indications that have passed in any world.
  private var opcodes: Set<UInt8> = []
  private var struck: Set<String> = []

  mutating func add(_ report: WorldReport) {
    opcodes.formUnion(report.opcodes)
    for strike in report.strikes {
      struck.insert(strike.kind)
      for activity in strike.activities { activities[activity, default: [:]][strike.kind, default: 0] += 1 }
      for opcode in strike.procedures { procedures[opcode, default: [:]][strike.kind, default: 0] += 1 }
    }
  }

  /// How often events of a kind (`Happening.Kind`, or "fault " and `FaultAction.Kind`, by their raw values) struck a device during an
  /// activity.
  public func count(of kind: String, during activity: DeviceActivity) -> Int { activities[activity]?[kind] ?? 0 }

  /// How often they struck while a request or indication with this opcode waited for its answer at the device.
  public func count(of kind: String, during procedure: ATTOpcode) -> Int { procedures[procedure.rawValue]?[kind] ?? 0 }

  /// The kinds that have struck, in the order of their names.
  public var kinds: [String] { struck.sorted() }

  /// The procedures that were used, in the order of their opcodes.
  public var usedProcedures: [ATTOpcode] { opcodes.sorted().map { ATTOpcode($0) } }

  /// What never happened: "powerCut while scanning", "loss during ATT_READ_REQ". Of activities those that events of other kinds have
  /// struck, of procedures those that were used.
  public var missing: [String] {
    let whiles = DeviceActivity.allCases.filter { activities[$0] != nil }.flatMap { activity in
      kinds.filter { count(of: $0, during: activity) == 0 }.map { "\($0) while \(activity.rawValue)" }
    }
    let durings = usedProcedures.flatMap { opcode in
      kinds.filter { count(of: $0, during: opcode) == 0 }.map { "\($0) during \(opcode)" }
    }
    return whiles + durings
  }
}

extension ExplorationCoverage: CustomStringConvertible {
  /// Two tables, and what is missing in them.
  public var description: String {
    guard !struck.isEmpty else { return "No event has struck." }
    let didRows = DeviceActivity.allCases.filter { activities[$0] != nil }.map { activity in
      (activity.rawValue, kinds.map { count(of: $0, during: activity) })
    }
    let waitedRows = usedProcedures.map { opcode in ("\(opcode)", kinds.map { count(of: $0, during: opcode) }) }
    var text = "How often events struck a device, by what it did:\n" + table(didRows)
    text += "How often they struck while a request or indication waited for its answer:\n" + table(waitedRows)
    return text + "Never: \(missing.isEmpty ? "nothing of this" : missing.joined(separator: ", "))."
  }

  private func table(_ rows: [(name: String, counts: [Int])]) -> String {
    let width = (rows.map(\.name.count) + [8]).max() ?? 8
    let header = kinds.map { "  " + pad($0, to: 6) }.joined()
    let lines = rows.map { row in
      padRight(row.name, to: width)
        + zip(kinds, row.counts).map { "  " + pad("\($1)", to: max(6, $0.count)) }.joined()
    }
    return ([String(repeating: " ", count: width) + header] + lines).joined(separator: "\n") + "\n"
  }

  private func pad(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func padRight(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
