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
    guard let clone = DeviceClone(log, isAnonymous: command.isAnonymous) else {
      throw ToolError(.badData, "Nothing that was said with the device can be read: its links have no PDU of GATT.")
    }
    guard let text = clone.description.recordingText else { return }
    if let path = command.output {
      try Self.write(text, to: path)
    } else if !session.output.isJSON {
      session.output.raw(Array(text.utf8))
    }
    if let path = command.report { try Self.write(lines(clone).joined(separator: "\n") + "\n", to: path) }
    if session.output.isJSON {
      session.output.json(clone.json(file: command.output))
    } else {
      for line in lines(clone).prefix(2) + clone.learned.recording.notes.map({ "Note: \($0.inert)" }) {
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

  private func lines(_ clone: DeviceClone) -> [String] {
    let (counts, report) = (clone.learned.counts, clone.report)
    var lines = [
      "\(clone.learned.name.inert): \(counts.attributes) attributes, \(counts.rules) rules for answers, \(counts.streams) "
        + "streams of notifications, \(counts.sequences) sequences, \(counts.exchanges) recorded exchanges.",
      "The clone reproduces \(clone.percent) % of the device's \(report.total) PDUs "
        + "(\(report.reproduced); of \(report.responses) responses \(report.reproducedResponses)), and sends "
        + "\(report.surplus) more.",
    ]
    lines += clone.learned.recording.notes.map { "Not understood: \($0.inert)" }
    lines += clone.differences.map { difference in
      let seconds = Self.seconds(difference.time, since: log.links.first?.began)
      return "PDU \(difference.number) at \(seconds) s: expected \(Self.text(difference.expected)), "
        + "found \(difference.found.map(Self.text) ?? "nothing")"
    }
    return lines
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
