import BLECapture
import BLEClone
import BLECore
import BLEDeviceFiles
import BLEFiles
import BLESession
import BLEWire
import Foundation

/// The file of a clone, and the report of how much of the log it reproduces.
@MainActor struct CloneOutput {
  private let command: CloneCommand
  private let log: LoggedDevice
  private let session: Session

  init(_ command: CloneCommand, _ log: LoggedDevice, in session: Session) {
    self.command = command
    self.log = log
    self.session = session
  }

  func write() async throws(ToolError) {
    guard !log.pdus.isEmpty else {
      throw ToolError(.badData, "Nothing that was said with the device can be read: its links have no PDU of GATT.")
    }
    let learned = DeviceLearner.learn(log)
    let report = CloneReplay(log, learned.recording).run()
    let shown = command.isAnonymous ? RecordingDisguise.disguised(learned) : learned
    let summary = "Made by ble clone of \(log.links.count) links with \(log.pdus.count) PDUs."
    let description = DeviceDescription(name: shown.name, summary: summary, recording: shown.recording)
    guard let text = description.recordingText else { return }
    if let path = command.output {
      try Self.write(text, to: path)
    } else if !session.output.isJSON {
      session.output.raw(Array(text.utf8))
    }
    if let path = command.report { try Self.write(lines(shown, report).joined(separator: "\n") + "\n", to: path) }
    if session.output.isJSON {
      session.output.json(json(shown, report))
    } else {
      for line in lines(shown, report).prefix(2) + shown.recording.notes.map({ "Note: \($0.inert)" }) {
        session.output.note(line)
      }
    }
  }

  private static func write(_ text: String, to path: String) throws(ToolError) {
    do throws(PrivateFileError) {
      let file = try OutputFile(path, isSecret: false)
      file.empty()
      let code = file.write(Array(text.utf8))
      guard code == 0 else { throw PrivateFileError.system("write", path) }
    } catch {
      throw ToolError(.noInput, "\(path.inert): \(error.reason.inert)")
    }
  }

  // MARK: The report

  private func lines(_ learned: LearnedDevice, _ report: CloneReport) -> [String] {
    let counts = learned.counts
    var lines = [
      "\(learned.name.inert): \(counts.attributes) attributes, \(counts.rules) rules for answers, \(counts.streams) "
        + "streams of notifications, \(counts.sequences) sequences, \(counts.exchanges) recorded exchanges.",
      "The clone reproduces \(Self.percent(report)) % of the device's \(report.total) PDUs "
        + "(\(report.reproduced); of \(report.responses) responses \(report.reproducedResponses)), and sends "
        + "\(report.surplus) more.",
    ]
    lines += learned.recording.notes.map { "Not understood: \($0.inert)" }
    // What a device has said is not in the report of an anonymous clone.
    guard !command.isAnonymous else { return lines }
    lines += report.differences.map { difference in
      let seconds = Self.seconds(difference.time, since: log.links.first?.began)
      return "PDU \(difference.number) at \(seconds) s: expected \(Self.text(difference.expected)), "
        + "found \(difference.found.map(Self.text) ?? "nothing")"
    }
    return lines
  }

  private func json(_ learned: LearnedDevice, _ report: CloneReport) -> JSONValue {
    let counts = learned.counts
    let differences = command.isAnonymous ? [] : report.differences
    return .object([
      "name": .string(learned.name), "address": command.isAnonymous ? .null : .string(log.address.description),
      "file": .string(orNull: command.output), "links": .integer(log.links.count), "pdus": .integer(log.pdus.count),
      "attributes": .integer(counts.attributes), "undiscovered": .integer(counts.undiscovered),
      "rules": .integer(counts.rules), "streams": .integer(counts.streams), "sequences": .integer(counts.sequences),
      "exchanges": .integer(counts.exchanges), "device_pdus": .integer(report.total),
      "reproduced": .integer(report.reproduced), "share": .number(Double(report.share) / 10_000),
      "surplus": .integer(report.surplus), "notes": .array(learned.recording.notes.map(JSONValue.string)),
      "differences": .array(
        differences.map { difference in
          .object([
            "pdu": .integer(difference.number),
            "seconds": .number(Double(difference.time.nanoseconds &- (log.links.first?.began.nanoseconds ?? 0)) / 1e9),
            "expected": .string(Hexadecimal.encode(difference.expected)),
            "found": .string(orNull: difference.found.map { Hexadecimal.encode($0) }),
          ])
        }),
    ])
  }

  /// Hundredths of a per cent as text, rounded down: 100 means all.
  private static func percent(_ report: CloneReport) -> String {
    let (whole, part) = (report.share / 100, report.share % 100)
    return part == 0 ? "\(whole)" : "\(whole).\(part < 10 ? "0" : "")\(part)"
  }

  private static func seconds(_ time: CaptureTimestamp, since start: CaptureTimestamp?) -> String {
    let milliseconds = max(0, time.nanoseconds &- (start?.nanoseconds ?? 0)) / 1_000_000
    let fraction = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  private static func text(_ pdu: [UInt8]) -> String {
    "\(ATTOpcode(pdu.first ?? 0)) \(Hexadecimal.encode(pdu.dropFirst()))".trimmingCharacters(in: .whitespaces)
  }
}
