import Foundation

/// A stack that does the work in a process of its own, as a program that is told the benchmark's name.
struct Peer {
  /// What it is called in reports.
  let name: String
  let program: String
  /// What stands in front of the benchmark's name.
  var words: [String] = []

  /// What it says of a round: a number in the benchmark's unit.
  struct Answer: Decodable {
    let value: Double
    let requests: Int?
  }

  /// Starts the process for one benchmark. It does a round each time it is asked.
  func visit(_ name: String) throws -> Visit {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words + [name]
    let (questions, answers) = (Pipe(), Pipe())
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
    return Visit(name: name, process: process, questions: questions.fileHandleForWriting, answers: answers)
  }

  final class Visit {
    private let name: String
    private let process: Process
    private let questions: FileHandle
    private let answers: Pipe
    private var unread = Data()

    fileprivate init(name: String, process: Process, questions: FileHandle, answers: Pipe) {
      self.name = name
      self.process = process
      self.questions = questions
      self.answers = answers
    }

    func round() throws -> Answer {
      // A process that has failed has closed its input; its status says more than that.
      try? questions.write(contentsOf: Data("round\n".utf8))
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          let line = unread[..<end]
          unread = Data(unread[(end + 1)...])
          return try JSONDecoder().decode(Answer.self, from: line)
        }
        let more = answers.fileHandleForReading.availableData
        if more.isEmpty {
          process.waitUntilExit()
          throw Failure(description: "the foreign stack failed at \(name) (exit code \(process.terminationStatus))")
        }
        unread += more
      }
    }

    /// Lets the process end.
    func end() {
      try? questions.close()
      process.waitUntilExit()
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}
