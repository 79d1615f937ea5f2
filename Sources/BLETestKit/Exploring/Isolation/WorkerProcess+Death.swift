import Foundation

// The end of a process in words.

extension WorkerProcess.Death {
  /// Signals that a program does not cause itself: someone, or the system that is out of memory, has ended it.
  var cameFromOutside: Bool { signal.map { [SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains($0) } ?? false }

  /// "ended with signal 4 (Illegal instruction)".
  var ending: String {
    if isGivenUp { return "waited without end for something else" }
    guard let signal else { return "exited with code \(code)" }
    return "ended with signal \(signal) (\(String(cString: strsignal(signal))))"
  }
}

extension WorkerProcess.Death {
  /// The line with which a program says why it ends.
  fileprivate var trap: String? {
    lastWords.first { $0.contains("Fatal error") || $0.contains("Precondition failed") }
  }

  /// Where it was, innermost call first, if the runtime has listed its calls: "closure #1 in App.start() at /…/App.swift:12:3".
  private var calls: [String] {
    lastWords.compactMap { line in
      // "3 [ra] 0x000055ef59037442 name + 721 in program at path:line:column"
      guard let place = line.range(of: " at /", options: .backwards), !line.hasSuffix("<compiler-generated>"),
        let address = line.range(of: " 0x"), let begin = line[address.upperBound...].firstIndex(of: " "),
        let end = line.range(of: " in ", options: .backwards), begin < end.lowerBound
      else { return nil }
      let name = line[begin..<end.lowerBound].components(separatedBy: " + ")[0]
      return "\(name.drop { $0 == " " }) at /\(line[place.upperBound...])"
    }
  }

  /// What a reader needs of its last words, besides the trap.
  fileprivate var details: [String] {
    let calls = calls
    if !calls.isEmpty { return Array(calls.prefix(5)) }
    return lastWords.filter { $0 != trap && !$0.allSatisfy(\.isWhitespace) }.suffix(5)
  }
}

extension TrialFailure {
  /// The process of a world has ended.
  init(_ death: WorkerProcess.Death) {
    // Without numbers: addresses differ from run to run.
    let kind = (death.trap ?? "").filter { !$0.isNumber }
    var words = "its process \(death.ending)"
    if death.cameFromOutside { words += ", twice: by somebody, or by the system because memory was short" }
    if let trap = death.trap { words += ": \(trap)" }
    words += death.details.map { "\n  \($0)" }.joined()
    self.init(mark: "process \(death.ending) \(kind)", words: words)
  }
}
