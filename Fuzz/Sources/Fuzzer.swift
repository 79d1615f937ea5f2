import CLibFuzzer
import Glibc

/// One parser, and how it is fed.
struct Fuzzer: Sendable {
  let name: String
  /// Takes one input. Whatever it is, this returns; a trap is a finding.
  let feed: @Sendable ([UInt8]) -> Void
  /// Inputs to begin with, made from the packets' examples.
  let seeds: @Sendable () -> [[UInt8]]

  static let all: [Fuzzer] = [
    .advertisingData, .attributeProtocol, .attributeServer, .bonds, .btsnoop, .deviceFile, .dissector, .frames,
    .gattClient, .h4, .hciCommand, .hciEvent, .host, .l2cap, .l2capChannels, .layout, .linkLayer, .pcapng, .profile,
    .registry, .securityManager, .texts,
  ]
}

/// `fuzz NAME [libFuzzer's arguments]`, `fuzz --list`, or `fuzz --seeds FOLDER`, which writes the seeds of all fuzzers.
@main
struct FuzzTool {
  /// The fuzzer that was chosen. Written once, before libFuzzer starts, and libFuzzer calls back on the same thread.
  nonisolated(unsafe) private static var chosen: Fuzzer?

  static func main() {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "--list":
      for fuzzer in Fuzzer.all { print(fuzzer.name) }
    case "--seeds" where arguments.count == 3:
      exit(Seeds.write(to: arguments[2]) ? 0 : 1)
    case _? where getenv(nameVariable) != nil:
      // libFuzzer starts this program again when it merges, with folders and options of its own only.
      choose(String(cString: getenv(nameVariable)))
      run(arguments: arguments)
    case let name?:
      choose(name)
      setenv(nameVariable, name, 1)
      run(arguments: [arguments[0]] + arguments.dropFirst(2))
    case nil: usage("no fuzzer named")
    }
  }

  /// Tells a program that was started by this one which fuzzer it is.
  private static let nameVariable = "BLE_FUZZER"

  private static func choose(_ name: String) {
    guard let fuzzer = Fuzzer.all.first(where: { $0.name == name }) else { usage("no fuzzer \(name)") }
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

  private static func usage(_ problem: String) -> Never {
    print("\(problem); there are: \(Fuzzer.all.map(\.name).joined(separator: ", "))")
    exit(64)
  }
}

/// Writes what fuzzers begin with.
enum Seeds {
  /// A file for each seed, named by its place, in a folder for each fuzzer. Files that are there stay.
  static func write(to folder: String) -> Bool {
    for fuzzer in Fuzzer.all {
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
func require(_ condition: Bool, _ text: @autoclosure () -> String) {
  if !condition { fatalError(text()) }
}
