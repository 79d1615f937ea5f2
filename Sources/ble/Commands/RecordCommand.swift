import BLESessionStore
import Foundation

/// `ble record`: records devices into an SQLite file.
struct RecordCommand: ToolCommand {
  static let targets = Argument(
    "target", isOptional: true, isRepeated: true, "Devices to keep connected: by name, identifier or address.")
  static let file = Argument("file", "The SQLite file; created if it does not exist, otherwise continued.")
  static let scan = Option.flag("scan", "Record advertisements and their RSSI.")
  static let subscribe = Option.values(
    "subscribe", "characteristic", "Record what this characteristic notifies (default: all that notify).")
  static let read = Option.values("read", "characteristic", "Read this characteristic repeatedly.")
  static let readEvery = Option.value(
    "read-every", "seconds", standard: "10", "The time between two readings of a characteristic.")
  static let rssi = Option.value(
    "rssi", "seconds", standard: "1", "The time between two measurements of a connection's signal; 0 is never.")
  static let duration = Option.value("duration", "seconds", "End after this time.")
  static let commitEvery = Option.value(
    "commit-every", "seconds", standard: "0.2", "How long something that was seen waits before it is safe in the file.")
  static let retainAge = Option.value("retain-age", "time", "Delete older rows: 30m, 12h, 7d.")
  static let retainRows = Option.value(
    "retain-rows", "number", "Keep so many values, signal strengths, events, connections and devices at most.")
  static let retainSize = Option.value("retain-size", "size", "Keep the file below this size: 100M, 2G; at least 1M.")

  static let node = CommandNode(
    "record", abstract: "Record devices into an SQLite file: connections, values, signal, events.",
    discussion: """
      Connects to each target and reconnects whenever the link is lost. Without --subscribe and --read it listens to \
      everything that notifies. 'ble history' shows what was recorded, also meanwhile.

      Runs until Ctrl-C, unless --duration ends it. What was committed is safe whatever happens to the program and to the \
      power. With --duration the status is 68 where a target was never connected.

        ble record Owenli ride.sqlite
        ble record --scan --retain-age 7d around.sqlite
      """,
    arguments: [targets, file],
    options: [
      scan, subscribe, read, readEvery, rssi, duration, commitEvery, retainAge, retainRows, retainSize,
    ]
  ) { (arguments) throws(UsageError) in
    var command = RecordCommand(path: try arguments.value(of: file))
    for word in arguments.rest {
      do throws(ArgumentValueError) {
        command.targets.append(try Target(argument: word))
      } catch {
        throw UsageError("The value '\(word.inert)' is invalid for '\(targets.label)': \(error.reason)")
      }
    }
    command.scans = arguments.isGiven(scan)
    guard command.scans || !command.targets.isEmpty else {
      throw UsageError("Nothing to record: name a device, or say '--scan'")
    }
    command.subscriptions = try arguments.values(of: subscribe)
    command.readings = try arguments.values(of: read)
    command.readInterval = max(0.1, (try arguments.value(of: readEvery) as Seconds?)?.value ?? 10)
    let rssi = (try arguments.value(of: Self.rssi) as Seconds?)?.value ?? 1
    command.signalInterval = rssi == 0 ? nil : max(0.05, rssi)
    command.duration = (try arguments.value(of: duration) as Seconds?)?.value
    command.commitInterval = max(0.001, (try arguments.value(of: commitEvery) as Seconds?)?.value ?? 0.2)
    command.retention = Retention(
      age: (try arguments.value(of: retainAge) as Span?).map { .seconds($0.seconds) },
      rows: (try arguments.value(of: retainRows) as Count?)?.value,
      size: (try arguments.value(of: retainSize) as Size?)?.octets)
    if command.targets.isEmpty, !(command.subscriptions.isEmpty && command.readings.isEmpty) {
      throw UsageError("'--subscribe' and '--read' are unusable without a target")
    }
    return command
  }

  let path: String
  var targets: [Target] = []
  var scans = false
  var subscriptions: [CharacteristicName] = []
  var readings: [CharacteristicName] = []
  var readInterval = 10.0
  /// `nil`: never.
  var signalInterval: Double? = 1
  var duration: Double?
  var commitInterval = 0.2
  var retention = Retention()

  func run(in session: Session) async throws(ToolError) {
    let recording = try await RecordingRun(self, in: session)
    var failure: ToolError?
    do {
      try await recording.run()
    } catch {
      failure = error
    }
    // Everything that was recorded is committed before an error is reported.
    try await recording.end()
    if let failure { throw failure }
  }
}
