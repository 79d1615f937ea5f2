import BLEClone
import BLEDeviceFiles
import Foundation

/// `ble clone`: a simulated device out of a session with the real one.
struct CloneCommand: ToolCommand {
  static let source = Parameter<String>.argument(
    "source", "A log of HCI traffic (btsnoop, pcapng, pcap, .pklg), or a device: its name, identifier or address.")
  static let output = Parameter.option(
    "output", letter: "o", "file", "The device description file to write (default: the standard output).",
    \FilePath.text)
  static let device = Parameter.option(
    "device", "device", "Which device of the log: its name, the beginning of its name, or its address.",
    \FilePath.text)
  static let anonymize = Parameter.flag(
    "anonymize", "Replace names, values, what was written, and manufacturer data by stand-ins of the same length.")
  static let report = Parameter.option(
    "report", "file", "Write there how much of the log the clone reproduces, with the first differences.",
    \FilePath.text)
  static let live = Parameter.flag("live", "The source is a device, also if there is a file of that name.")
  static let duration = Parameter.option(
    "duration", "seconds", "With a device: how long to record what it says (default: 10, 0 for until Ctrl-C).",
    \Seconds.value)

  static let node = CommandNode(
    "clone", abstract: "Make a simulated device of a log, or of a device.",
    discussion: """
      Reads what a phone or a computer has logged of a session with a device: its advertisements, the attributes with their \
      handles and values, what was notified and when, and what followed which write, learned as rules where it follows any. \
      The result is a device description file: 'ble serve FILE' is that device, with the same handles on the embedded radio.

      Then the log's central is played against the clone, PDU by PDU: the share that it reproduces, and what was not \
      understood, go to the standard error and into the report. Keys are left out.

      Where the source is no file, or with --live, it is a device: it is explored, read and subscribed to, and what it says is \
      recorded for as long as --duration says.

        ble clone btsnoop_hci.log -o lamp.json
        ble clone bugreport.pklg --device Lamp -o lamp.json --report lamp.txt
        ble clone Lamp --duration 60 -o lamp.json
      """,
    source, output, device, anonymize, report, live, duration
  ) { (source, output, device, isAnonymous, report, isLive, duration) throws(UsageError) in
    let isFile = !isLive && FileManager.default.fileExists(atPath: source)
    if isFile, duration != nil { throw UsageError("'--duration' is unusable with a log") }
    if !isFile, device != nil { throw UsageError("'--device' is for a log: the source names the device itself") }
    // What looks like a path and does not exist is a misspelled log more probably than a device.
    let isPath =
      source.contains("/") || [".log", ".pklg", ".pcap", ".pcapng", ".btsnoop"].contains { source.hasSuffix($0) }
    var target: Target?
    if !isFile, isLive || !isPath {
      do throws(ArgumentValueError) {
        target = try Target(argument: source)
      } catch {
        throw UsageError("'\(source.inert)' is no file and names no device: \(error.reason)")
      }
    }
    return CloneCommand(
      source: source, target: target, output: output, device: device, isAnonymous: isAnonymous, report: report,
      duration: duration ?? 10)
  }

  let source: String
  /// `nil` for a log.
  let target: Target?
  let output: String?
  let device: String?
  let isAnonymous: Bool
  let report: String?
  let duration: Double

  @MainActor func prepare(in session: Session) throws(ToolError) {
    if target != nil { try LiveClone.prepare(session) }
  }

  func run(in session: Session) async throws(ToolError) {
    let log: LoggedDevice
    if let target {
      log = try await LiveClone.record(target, for: duration, in: session)
    } else {
      log = try await CloneSource(path: source, in: session).device(named: device)
    }
    try await CloneOutput(self, log, in: session).write()
  }
}
