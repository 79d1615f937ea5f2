import Foundation

/// Plays a file of test vectors: `vector-runner FILE`.
///
/// Ends with `N passed, N failed`. Exit status 0: all tests passed; 1: a test failed, or there was none; 64: wrong usage;
/// 65: the file is not one of the formats; 66: the file cannot be read.
@main
struct VectorRunner {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      report("usage: vector-runner FILE")
      exit(64)
    }
    exit(run(path: CommandLine.arguments[1]))
  }

  /// Plays one file, prints what failed, and returns the exit status.
  static func run(path: String) -> Int32 {
    guard let data = FileManager.default.contents(atPath: path) else {
      report("\(path): cannot be read")
      return 66
    }
    guard let outcomes = play(data) else {
      report("\(path): not a known vector format: \(VectorFormat.all.map(\.name).joined(separator: ", "))")
      return 65
    }
    for outcome in outcomes {
      for failure in outcome.failures { print("FAILED \(outcome.name): \(failure)") }
    }
    let failed = outcomes.filter { !$0.failures.isEmpty }.count
    print("\(outcomes.count - failed) passed, \(failed) failed")
    return failed == 0 && !outcomes.isEmpty ? 0 : 1
  }

  /// The outcomes of all tests of a file; `nil` where it is none of the formats.
  static func play(_ data: Data) -> [VectorOutcome]? {
    guard let document = try? JSONDecoder().decode(JSONValue.self, from: data),
      let name = document["format"]?.string,
      let format = VectorFormat.all.first(where: { $0.name == name })
    else { return nil }
    return format.play(document)
  }

  private static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
