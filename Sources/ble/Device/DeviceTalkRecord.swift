import BLEDeviceFiles
import BLESession
import Foundation

/// Counts and reports the events of a session with a described device.
@MainActor final class DeviceTalkRecord {
  private let output: Output
  /// How often the command was sent.
  private(set) var attempts = 0
  private var handshakeAttempts = 0
  private var handshakeBegin: Date?
  private var handshakeSeconds: Double?
  private var handshakeAnswer: [FieldReading] = []
  /// Set while a caller waits for the end of the session.
  weak var waiting: Waiting?
  private var ending: ToolError?
  /// The tool itself is disconnecting: this is not reported.
  var isLeaving = false

  nonisolated init(output: Output) { self.output = output }

  func told(_ report: DeviceReport) {
    switch report {
    case .handshakeTold:
      handshakeAttempts = 1
      handshakeBegin = Date()
    case .handshakeAnswered(let readings):
      handshakeAnswer = readings
      handshakeSeconds = handshakeBegin.map { Date().timeIntervalSince($0) }
      let time = handshakeSeconds.map { String(Int($0 * 1_000)) } ?? "?"
      let again = handshakeAttempts > 1 ? ", at attempt \(handshakeAttempts)" : ""
      output.note("The device passed the handshake in \(time) ms\(again)\(readings.sentence).")
    case .handshakeRefused(let readings): output.note("The device refused the handshake\(readings.sentence).")
    case .told(let command, let attempt):
      attempts = attempt
      if attempt > 1 { output.note("No answer to '\(command)' yet: sent again (attempt \(attempt)).") }
    }
  }

  func happened(_ event: SessionEvent) {
    if isLeaving { return }
    switch event {
    case .openingRepeated(let left):
      handshakeAttempts += 1
      output.note("No answer to the handshake yet: sent again (\(left) more possible).")
    case .attemptFailed(let number, let error):
      output.note("Attempt \(number) failed: \(error.localizedDescription.inert).")
    case .hint(let hint): output.note("Hint: \(hint.inert)")
    case .disconnected(.lost):
      output.note("The connection was lost.")
    case .state(.stopped(let reason)):
      ending = ToolError(.failed, "The connection ended: \(reason.rawValue).")
      waiting?.changed()
    default: break
    }
  }

  func waitForEnd(within seconds: Double?, _ waiting: Waiting) async throws(ToolError) {
    let clock = Date()
    if let seconds { onMain(after: seconds) { waiting.changed() } }
    try await waiting.until(within: nil) { () throws(ToolError) in
      if let ending = self.ending { throw ending }
      return seconds.map { Date().timeIntervalSince(clock) >= $0 - 0.001 } ?? false
    }
  }

  /// `null` if there was no handshake.
  var json: JSONValue {
    guard handshakeAttempts > 0 else { return .null }
    return [
      "attempts": .integer(handshakeAttempts),
      "seconds": handshakeSeconds.map { .number(($0 * 1_000).rounded() / 1_000) } ?? .null,
      "answer": handshakeAnswer.json,
    ]
  }
}

extension [FieldReading] {
  /// `: model SB-2, firmware 260`, or nothing.
  fileprivate var sentence: String {
    isEmpty ? "" : ": " + map { "\($0.name) \($0.description.inert)" }.joined(separator: ", ")
  }
}
