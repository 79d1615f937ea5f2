import BLECore
import BLEFaults
import BLEHost
import BLESession
import Foundation

/// The faults of `ble serve`: those of a file, and those that are typed while it runs.
@MainActor final class ServedFaults {
  private let session: Session
  private var faults: [Fault]
  /// Whether a line that begins like a command of these is one. In a chat it is a message unless faults were asked for.
  let takesLines: Bool

  init(_ source: FaultSource?, takesLines: Bool, in session: Session) throws(ToolError) {
    self.session = session
    self.takesLines = takesLines
    faults = try source?.load() ?? []
    if !faults.isEmpty { try set(faults) }
  }

  /// Carries out a line that is a command of these: `faults`, `fault add ...`, `fault cause ...`, `fault remove N`. Returns whether it was one.
  func take(_ line: String) -> Bool {
    guard takesLines else { return false }
    let line = line.trimmingCharacters(in: .whitespaces)
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch (words.first, words.count) {
    case ("faults", 1): list()
    case ("fault", 1): session.output.note("Expected 'fault add FAULT', 'fault cause FAULT' or 'fault remove NUMBER'.")
    case ("fault", _):
      do throws(ToolError) {
        try command(words[1], words.count > 2 ? words[2] : "")
      } catch {
        session.output.note(error.message)
      }
    default: return false
    }
    return true
  }

  private func command(_ name: String, _ argument: String) throws(ToolError) {
    switch name {
    case "add":
      let fault = try Self.fault(argument)
      try set(faults + [fault])
      faults.append(fault)
      session.output.note("\(faults.count): \(fault) (\(fault.origin.rawValue))")
    case "cause":
      let fault = try Self.fault(argument)
      try stack().cause(fault, seed: SystemEntropy().next(), didStrike: didStrike)
    case "remove":
      guard let number = Int(argument), (1...max(1, faults.count)).contains(number), !faults.isEmpty else {
        throw ToolError(
          .usage, faults.isEmpty ? "There are no faults." : "Expected a number from 1 to \(faults.count).")
      }
      var rest = faults
      let removed = rest.remove(at: number - 1)
      try set(rest)
      faults = rest
      session.output.note("Removed: \(removed)")
    default:
      let suggestion = Suggestion.sentence(for: name, among: ["add", "cause", "remove"])
      throw ToolError(
        .usage, "Expected 'fault add', 'fault cause' or 'fault remove', found '\(name.inert)'\(suggestion)")
    }
  }

  /// Completes a line that is being typed.
  nonisolated static func completion(of text: String) -> LineEditor.Completion {
    let line = ShellWords(text)
    let candidates: [String]
    switch (line.words.first, line.words.count) {
    case (nil, _): candidates = ["fault", "faults"]
    case ("fault", 1): candidates = ["add", "cause", "remove"]
    case ("fault", _) where line.words[1] != "remove": candidates = Fault.words(after: Array(line.words.dropFirst(2)))
    default: candidates = []
    }
    return LineEditor.Completion(
      replacing: line.unfinishedLength,
      candidates: candidates.filter { $0.hasPrefix(line.unfinished) }.map { ShellWords.quoted($0) + " " })
  }

  private func list() {
    let output = session.output
    if output.isJSON {
      return output.event(
        "faults", ["faults": .array(faults.map { ["fault": .string($0.description), "words": .string($0.words)] })], "")
    }
    if faults.isEmpty { return output.note("There are no faults.") }
    for (index, fault) in faults.enumerated() {
      output.line("\(index + 1)  \(fault) (\(fault.origin.rawValue))\n   \(output.style.faint(fault.words))")
    }
  }

  private static func fault(_ text: String) throws(ToolError) -> Fault {
    do throws(FaultFileError) {
      return try Fault(text: text)
    } catch {
      throw ToolError(.badData, error.description)
    }
  }

  /// Sets the faults of the host; occurrences are counted from the beginning.
  private func set(_ faults: [Fault]) throws(ToolError) {
    for case .controller in faults.map(\.action) {
      throw ToolError(.badData, "Only the controller of a simulated device (BLETestKit) has such a trouble.")
    }
    try stack().setFaults(faults, seed: SystemEntropy().next(), didStrike: didStrike)
  }

  private func stack() throws(ToolError) -> HostStack {
    if let stack = PairingDesk.stack { return stack }
    throw ToolError(
      .unavailable,
      "Faults are not possible on an adapter of BlueZ, whose daemon sends and receives the packets: use 'radio', 'hci' or 'serial'."
    )
  }

  private var didStrike: @Sendable (Fault, StackInstant) -> Void {
    let output = session.output
    return { fault, _ in
      onMain {
        output.event(
          "fault",
          [
            "fault": .string(fault.description), "words": .string(fault.words),
            "origin": .string(fault.origin == .correctDevice ? "correct-device" : "broken-device"),
          ], "fault: \(fault)")
      }
    }
  }
}
