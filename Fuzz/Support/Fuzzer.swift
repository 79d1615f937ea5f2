import CLibFuzzer
import Glibc

/// One parser or one machine, and how it is fed.
package struct Fuzzer: Sendable {
  package let name: String
  /// Takes one input. Whatever it is, this returns; a trap is a finding.
  package let feed: @Sendable ([UInt8]) -> Void
  /// Inputs to begin with, made from the packets' examples.
  package let seeds: @Sendable () -> [[UInt8]]

  package init(
    name: String, feed: @escaping @Sendable ([UInt8]) -> Void, seeds: @escaping @Sendable () -> [[UInt8]]
  ) {
    self.name = name
    self.feed = feed
    self.seeds = seeds
  }
}

/// A program of fuzzers: `PROGRAM NAME [libFuzzer's arguments]`, `PROGRAM --list`, or `PROGRAM --seeds FOLDER`, which writes the
/// seeds of all its fuzzers.
package enum FuzzTool {
  /// The fuzzer that was chosen. Written once, before libFuzzer starts, and libFuzzer calls back on the same thread.
  nonisolated(unsafe) private static var chosen: Fuzzer?

  package static func main(_ fuzzers: [Fuzzer]) {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "--list":
      for fuzzer in fuzzers { print(fuzzer.name) }
    case "--seeds" where arguments.count == 3:
      exit(Seeds.write(fuzzers, to: arguments[2]) ? 0 : 1)
    case _? where getenv(nameVariable) != nil:
      // libFuzzer starts this program again when it merges, with folders and options of its own only.
      choose(String(cString: getenv(nameVariable)), of: fuzzers)
      run(arguments: arguments)
    case let name?:
      choose(name, of: fuzzers)
      setenv(nameVariable, name, 1)
      run(arguments: [arguments[0]] + arguments.dropFirst(2))
    case nil: usage("no fuzzer named", fuzzers)
    }
  }

  /// Tells a program that was started by this one which fuzzer it is.
  private static let nameVariable = "BLE_FUZZER"

  private static func choose(_ name: String, of fuzzers: [Fuzzer]) {
    guard let fuzzer = fuzzers.first(where: { $0.name == name }) else { usage("no fuzzer \(name)", fuzzers) }
    chosen = fuzzer
  }

  private static func run(arguments: [String]) -> Never {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var count = CInt(arguments.count)
    let status = pointers.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return LLVMFuzzerRunDriver(&count, &start) { octets, count in
        FuzzTool.chosen?.feed(Array(UnsafeBufferPointer(start: octets, count: count)))
        return 0
      }
    }
    exit(status)
  }

  private static func usage(_ problem: String, _ fuzzers: [Fuzzer]) -> Never {
    print("\(problem); there are: \(fuzzers.map(\.name).joined(separator: ", "))")
    exit(64)
  }
}

/// Writes what fuzzers begin with.
private enum Seeds {
  /// A file for each seed, named by its place, in a folder for each fuzzer. Files that are there stay.
  static func write(_ fuzzers: [Fuzzer], to folder: String) -> Bool {
    for fuzzer in fuzzers {
      let place = "\(folder)/\(fuzzer.name)"
      mkdir(place, 0o755)
      for (index, seed) in fuzzer.seeds().enumerated() {
        guard write(seed, to: "\(place)/seed-\(index)") else {
          print("\(place): cannot be written")
          return false
        }
      }
    }
    return true
  }

  private static func write(_ octets: [UInt8], to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    defer { fclose(file) }
    return fwrite(octets, 1, octets.count, file) == octets.count
  }
}

/// A finding that is not a trap by itself.
package func require(_ condition: Bool, _ text: @autoclosure () -> String) {
  if !condition { fatalError(text()) }
}
