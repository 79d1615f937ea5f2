import BLESessionStore
import Foundation

/// `ble record`: records devices into an SQLite file.
struct RecordCommand: ToolCommand {
  static let targets = Parameter.arguments(
    "target", "Devices to keep connected: by name, identifier or address.", of: Target.self)
  static let file = Parameter<String>.argument(
    "file", "The SQLite file; created if it does not exist, otherwise continued.")
  static let scan = Parameter.flag("scan", "Record advertisements and their RSSI.")
  static let subscribe = Parameter.options(
    "subscribe", "characteristic", "Record what this characteristic notifies (default: all that notify).",
    of: CharacteristicName.self)
  static let read = Parameter.options(
    "read", "characteristic", "Read this characteristic repeatedly.", of: CharacteristicName.self)
  static let readEvery = Parameter.option(
    "read-every", "seconds", standard: "10", "The time between two readings of a characteristic.", \Seconds.value)
  static let rssi = Parameter.option(
    "rssi", "seconds", standard: "1", "The time between two measurements of a connection's signal; 0 is never.",
    \Seconds.value)
  static let commitEvery = Parameter.option(
    "commit-every", "seconds", standard: "0.2", "How long something that was seen waits before it is safe in the file.",
    \Seconds.value)
  static let retainAge = Parameter.option(
    "retain-age", "time", "Delete older rows: 30m, 12h, 7d.", \Span.seconds)
  static let retainRows = Parameter.option(
    "retain-rows", "number", "Keep so many values, signal strengths, events, connections and devices at most.",
    \Count.value)
  static let retainSize = Parameter.option(
    "retain-size", "size", "Keep the file below this size: 100M, 2G; at least 1M.", \Size.octets)

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
    targets, file, scan, subscribe, read, readEvery, rssi, SubscribeCommand.duration, commitEvery, retainAge,
    retainRows, retainSize
  ) {
    (targets, path, scans, subscriptions, readings, readEvery, rssi, duration, commitEvery, age, rows, size)
      throws(UsageError) in
    guard scans || !targets.isEmpty else { throw UsageError("Nothing to record: name a device, or say '--scan'") }
    if targets.isEmpty, !(subscriptions.isEmpty && readings.isEmpty) {
      throw UsageError("'--subscribe' and '--read' are unusable without a target")
    }
    return RecordCommand(
      path: path, targets: targets, scans: scans, subscriptions: subscriptions, readings: readings,
      readInterval: max(0.1, readEvery), signalInterval: rssi == 0 ? nil : max(0.05, rssi), duration: duration,
      commitInterval: max(0.001, commitEvery),
      retention: Retention(age: age.map { .seconds($0) }, rows: rows, size: size))
  }

  let path: String
  let targets: [Target]
  let scans: Bool
  let subscriptions: [CharacteristicName]
  let readings: [CharacteristicName]
  let readInterval: Double
  /// `nil`: never.
  let signalInterval: Double?
  let duration: Double?
  let commitInterval: Double
  let retention: Retention

  func run(in session: Session) async throws(ToolError) {
    let recording = try await RecordingRun(self, in: session)
    session.service.ready("Recording") { () async throws(ToolError) in
      guard let changed = try ServiceOptions.command("record", [path]) as? RecordCommand else { return }
      try await recording.change(to: changed.targets)
    }
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
