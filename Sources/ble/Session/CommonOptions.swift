import BLEAdapter
import BLECapture
import BLEDefaultStack
import Foundation

/// The options of every command.
struct CommonOptions: Sendable {
  static let adapter = Option.value(
    "adapter", "name",
    "The Bluetooth adapter: radio[:<air>[/<device>]], tcp-client:<host>:<port>, unix-client:<path>, serial:<device>, ... "
      + "(default: $BLE_ADAPTER, the configuration's, this machine's own where it can be used, else radio)")
  static let timeout = Option.value(
    "timeout", "seconds", standard: "10", "How long to wait for the adapter, for the device and for each answer.")
  static let phy = Option.value(
    "phy", "phy",
    "Where devices are looked for: 1m, coded (long range) or both (default: $BLE_PHY, else 1m as Apple's devices)")
  static let capture = Option.value(
    "capture", "file", "Record all Bluetooth traffic to a btsnoop file, which Wireshark opens.")
  static let captureAir = Option.value(
    "capture-air", "file", "Record what the embedded radio hears of its air to a pcapng file, encrypted as it is there."
  )
  static let captureKeys = Option.value(
    "capture-keys", "file",
    "Write the keys of encrypted links to a file, for 'ble capture show --keys'. Keep it to yourself.")
  static let captureRedacted = Option.flag("capture-redacted", "Leave keys and other secrets out of '--capture'.")
  static let json = Option.flag("json", "Results as JSON: one document, or a line for each event of a stream.")
  static let jsonLines = Option.flag("json-lines", "The same: each document and each event is one line.")
  static let verbose = Option.counter("verbose", letter: "v", "Log what happens; -vv and -vvv log more.")
  static let quiet = Option.flag("quiet", letter: "q", "Print results only.")

  static let all =
    [adapter, phy, timeout, capture, captureAir, captureKeys, captureRedacted] + PairingOptions.all
    + [json, jsonLines, verbose, quiet]

  let adapter: AdapterName?
  let phy: SearchPHYs?
  let timeout: Seconds
  let capture: String?
  let captureAir: String?
  let captureKeys: String?
  let isCaptureRedacted: Bool
  let isJSON: Bool
  let verbosity: Int
  let isQuiet: Bool
  let pairing: PairingOptions

  init(_ arguments: ParsedArguments) throws(UsageError) {
    adapter = try arguments.value(of: Self.adapter)
    phy = try arguments.value(of: Self.phy)
    timeout = try arguments.value(of: Self.timeout) ?? Seconds(10)
    capture = try arguments.value(of: Self.capture, as: FilePath.self)?.text
    captureAir = try arguments.value(of: Self.captureAir, as: FilePath.self)?.text
    captureKeys = try arguments.value(of: Self.captureKeys, as: FilePath.self)?.text
    isCaptureRedacted = arguments.isGiven(Self.captureRedacted)
    isJSON = arguments.isGiven(Self.json) || arguments.isGiven(Self.jsonLines)
    verbosity = arguments.count(of: Self.verbose)
    isQuiet = arguments.isGiven(Self.quiet)
    pairing = try PairingOptions(arguments)
    if isQuiet, verbosity > 0 { throw UsageError("'--quiet' and '--verbose' contradict each other") }
    if isCaptureRedacted, capture == nil { throw UsageError("'--capture-redacted' is unusable without '--capture'") }
  }

  var recording: RecordingPaths {
    RecordingPaths(capture: capture, air: captureAir, keys: captureKeys, isRedacted: isCaptureRedacted)
  }

  /// Checks that the captures can be written, before the command runs.
  func checkCapture() throws(ToolError) {
    do throws(CaptureError) {
      for path in [capture, captureAir].compactMap(\.self) { try CaptureFileOutput.check(path: path) }
      if let captureKeys { try CaptureFileOutput.check(path: captureKeys, isSecret: true) }
    } catch {
      throw ToolError(.noInput, error.description.inert)
    }
  }

  /// Passes the options to the stack, which reads its environment when the first manager is created.
  func setEnvironment() {
    if let adapter { DefaultStack.name(adapter) }
    if let phy { setenv("BLE_PHY", phy.rawValue, 1) }
    if let capture { setenv("BLE_CAPTURE", capture, 1) }
    if let captureAir { setenv("BLE_CAPTURE_AIR", captureAir, 1) }
    if let captureKeys { setenv("BLE_CAPTURE_KEYS", captureKeys, 1) }
    if isCaptureRedacted { setenv("BLE_CAPTURE_REDACTED", "1", 1) }
    switch verbosity {
    case 0: if isQuiet { setenv("BLE_LOG", "critical", 1) }
    case 1: setenv("BLE_LOG", "info", 1)
    case 2: setenv("BLE_LOG", "debug", 1)
    default: setenv("BLE_LOG", "trace", 1)
    }
  }
}

extension SearchPHYs: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    guard let phys = SearchPHYs(rawValue: argument.lowercased()) else {
      throw ArgumentValueError("expected one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = phys
  }
}

extension AdapterName: ArgumentValue {
  init(argument: String) throws(ArgumentValueError) {
    do {
      try self.init(argument)
    } catch {
      throw ArgumentValueError(error.reason.inert)
    }
  }
}
