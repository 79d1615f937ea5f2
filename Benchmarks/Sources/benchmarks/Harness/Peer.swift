import Foundation

/// The foreign stack, which does the same work in a process of its own.
struct Peer {
  /// A Python that has Bumble.
  let python: String
  let script: String
  let isBrief: Bool

  struct Answer: Decodable {
    var value: Double
    var requests: Int?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Double.self) {
        self.value = value
      } else {
        let detailed = try container.decode(Detailed.self)
        (value, requests) = (detailed.value, detailed.requests)
      }
    }

    private struct Detailed: Decodable {
      let value: Double
      let requests: Int
    }
  }

  func measure(_ name: String) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [script] + (isBrief ? ["--brief"] : []) + [name]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let octets = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "the foreign stack failed at \(name) (exit code \(process.terminationStatus))")
    }
    let answers = try JSONDecoder().decode([String: Answer].self, from: octets)
    guard let answer = answers[name] else { throw Failure(description: "the foreign stack said nothing of \(name)") }
    return answer
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}
