import BLEGateway
import BLESession
import BLESessionStore
import CoreBluetooth

/// `ble history`: the contents of a recording.
struct HistoryCommand: ToolCommand {
  static let file = Parameter<String>.argument(
    "file", "A file that 'ble record' or the 'collect' of a gateway writes or has written.")
  static let what = Parameter<Subject?>.argument(
    optional: "what", "devices, sessions, connections, values, rssi or events; without it, how much there is.")
  static let device = Parameter.option(
    "device", "target", "Of this device only: by name, identifier or address.", \Target.self)
  static let characteristic = Parameter.options(
    "characteristic", "characteristic", "Values of this characteristic only.", of: CharacteristicName.self)
  static let session = Parameter.option("session", "number", "Of this session only.", \Count.value)
  static let from = Parameter.option(
    "from", "moment", "From this moment on: 2026-11-22T10:30, or 12h for so long ago.", \Moment.date)
  static let until = Parameter.option("until", "moment", "Before this moment.", \Moment.date)
  static let last = Parameter.option("last", "number", "The newest so many only.", \Count.value)
  static let csv = Parameter.flag("csv", "Comma-separated values with a header.")
  static let broker = Parameter.flag(
    "broker",
    "The file is one in which a gateway has collected what all gateways say; without this it is known by its contents.")
  static let gateway = Parameter.option(
    "gateway", "name", "Of a file that a gateway has collected: what this gateway has said only.", \String.self)

  static let node = CommandNode(
    "history", abstract: "Show what was recorded: devices, connections, values, signal, events.",
    discussion: """
      A line for each row, the oldest first; also while 'ble record' writes. With --json a line of JSON for each row. \
      Times are UTC; a moment without a zone is UTC as well.

      In the output of --csv a text from a device that a spreadsheet would take for a formula begins with an apostrophe, and \
      control characters are written out; the octets of values are exact.

        ble history ride.sqlite values --device Owenli --characteristic 2A19 --from 1h
        ble history ride.sqlite rssi --csv > rssi.csv
        ble history --broker house.sqlite values --device owenli --last 10
      """,
    file, what, device, characteristic, session, from, until, last, csv, broker, gateway, Parameter.line
  ) { (path, subject, device, names, session, from, until, last, isCSV, isOfBroker, gateway, line) throws(UsageError) in
    var command = HistoryCommand(path: path, subject: subject, device: device, isCSV: isCSV)
    if !names.isEmpty { command.filter.paths = names.flatMap(\.paths) }
    command.filter.session = session.map { Int64($0) }
    (command.filter.from, command.filter.until, command.filter.last) = (from, until, last)
    (command.isOfBroker, command.gateway) = (isOfBroker || gateway != nil, gateway)
    if !names.isEmpty, command.subject != .values {
      throw UsageError("'--characteristic' is for values: say 'ble history <file> values'")
    }
    if command.isCSV, line.isGiven(CommonOptions.json) {
      throw UsageError("'--csv' and '--json' contradict each other")
    }
    if command.isCSV, command.subject == nil {
      throw UsageError("'--csv' needs to know of what: \(Subject.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return command
  }

  /// The kind of rows to print.
  enum Subject: String, CaseIterable, ArgumentValue, Sendable {
    case devices, sessions, connections, values, rssi, events
  }

  let path: String
  var subject: Subject?
  var device: Target?
  var filter = StoreFilter()
  var isCSV = false
  var isOfBroker = false
  var gateway: String?

  func run(in session: Session) async throws(ToolError) {
    if let reader = try collected() {
      return try await HistoryOfGateways(reader: reader, path: path, session: session)
        .print(subject, of: device, filter, gateway: gateway, isCSV: isCSV)
    }
    let reader = try attempt { () throws(StoreError) in try StoreReader(file: URL(fileURLWithPath: path)) }
    var filter = filter
    if let device { filter.devices = try find(device, in: reader) }
    let lines = HistoryLines(session, isCSV: isCSV)
    switch subject {
    case nil:
      let summary = try attempt { () throws(StoreError) in try HistorySummary(reader, path) }
      if session.output.isJSON { session.output.json(summary.json) } else { session.output.line(summary.text) }
    case .devices: try await lines.print { () throws(StoreError) in try reader.devices(filter) }
    case .sessions: try await lines.print { () throws(StoreError) in try reader.sessions(filter) }
    case .connections: try await lines.print { () throws(StoreError) in try reader.connections(filter) }
    case .values: try await lines.print { () throws(StoreError) in try reader.values(filter) }
    case .rssi: try await lines.print { () throws(StoreError) in try reader.signals(filter) }
    case .events: try await lines.print { () throws(StoreError) in try reader.events(filter) }
    }
  }

  /// The reader of what a gateway has collected; `nil` where the file is not said to be of that kind, and is not.
  private func collected() throws(ToolError) -> CollectedReader? {
    do throws(StoreError) {
      return try CollectedReader(path)
    } catch {
      if isOfBroker { throw ToolError(error) }
      return nil
    }
  }

  private func attempt<Value>(_ body: () throws(StoreError) -> Value) throws(ToolError) -> Value {
    do {
      return try body()
    } catch {
      throw ToolError(error)
    }
  }

  /// The recorded devices that match the target; several devices may have the same name.
  private func find(_ target: Target, in reader: StoreReader) throws(ToolError) -> [UUID] {
    var names: [String] = []
    let found = try attempt { () throws(StoreError) in
      var found: [UUID] = []
      let devices = try reader.devices()
      while let device = try devices.next() {
        if target.matches(device) { found.append(device.identifier) }
        if let name = device.name, names.count < 256, !names.contains(name) { names.append(name) }
      }
      return found
    }
    guard found.isEmpty else { return found }
    var message = "\(path.inert) has no device \(target)."
    if case .name(let name) = target, let nearest = Suggestion.nearest(to: name, among: names) {
      message += " Did you mean '\(nearest.inert)'?"
    }
    throw ToolError(.notFound, message)
  }
}

extension Target {
  fileprivate func matches(_ device: StoredDevice) -> Bool {
    switch self {
    case .name(let name): device.name == name
    case .identifier(let identifier): device.identifier == identifier
    case .address: device.address == description
    }
  }
}
