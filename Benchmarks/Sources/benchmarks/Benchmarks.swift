import Foundation

/// Measures whole stacks, from one program's Core Bluetooth to another's over the simulated radio, and beside each number
/// the foreign stack at the same work. Writes a JSON file; fails where a threshold is missed.
@main
enum Benchmarks {
  static let all = [
    Benchmark(name: "notify_512", work: Packets.notify(octets: 512)),
    Benchmark(name: "write_without_response_512", work: Packets.writeWithoutResponse(octets: 512)),
    Benchmark(name: "notify_20", work: Packets.notify(octets: 20)),
    Benchmark(name: "read_20", work: Packets.read),
    Benchmark(name: "discover_10x5", work: Discovery.tenByFive),
    Benchmark(name: "advertising_ingest", work: Crowd.advertisingIngest),
    Benchmark(name: "facade_ingest_10", work: Ingest.reports(from: 10)),
    Benchmark(name: "facade_ingest_10000", work: Ingest.reports(from: 10_000)),
    Benchmark(name: "device_memory", work: Crowd.deviceMemory),
    Benchmark(name: "simulated_hour_100_devices", work: Crowd.simulatedHour),
    Benchmark(name: "explored_worlds", hasPeer: false, work: ExploredWorlds.stayingSubscribed),
  ]

  static func main() async {
    do {
      if CommandLine.arguments.dropFirst() == ["--check-adapter"] { return try PlainProgram.check() }
      let options = try Options(CommandLine.arguments.dropFirst())
      let complaints = try await run(options)
      for complaint in complaints { print("missed: \(complaint)") }
      if !complaints.isEmpty { exit(1) }
    } catch {
      FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) async throws -> [String] {
    let thresholds = try Threshold.read(options.thresholds)
    let effort = Effort(isBrief: options.isBrief)
    let peer = options.python.map { Peer(python: $0, script: options.script, isBrief: options.isBrief) }
    var reports: [Report] = []
    var complaints: [String] = []
    for benchmark in all where options.names.isEmpty || options.names.contains(benchmark.name) {
      let measurement = try await benchmark.work(effort)
      let report = Report(
        benchmark.name, measurement, beside: benchmark.hasPeer ? try peer?.measure(benchmark.name) : nil)
      print(report.line)
      reports.append(report)
      complaints +=
        thresholds[benchmark.name]?.complaints(about: report, among: reports, isBrief: options.isBrief) ?? []
    }
    if let output = options.output {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(reports).write(to: URL(fileURLWithPath: output))
      print("written: \(output)")
    }
    return complaints
  }
}

/// `benchmarks --thresholds FILE [--output FILE] [--python FILE --script FILE] [--brief] [name ...]`; or `benchmarks --check-adapter`,
/// which measures nothing: it shows that a program which is built for speed gets its adapter.
struct Options {
  var thresholds = "thresholds.json"
  var output: String?
  var python: String?
  var script = "peer/bumble_benchmark.py"
  var isBrief = false
  var names: Set<String> = []

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else { throw Failure(description: "a value is missing after \(option)") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--thresholds": thresholds = try value(of: argument)
      case "--output": output = try value(of: argument)
      case "--python": python = try value(of: argument)
      case "--script": script = try value(of: argument)
      case "--brief": isBrief = true
      default:
        guard Benchmarks.all.contains(where: { $0.name == argument }) else {
          throw Failure(description: "there is no benchmark called \(argument)")
        }
        names.insert(argument)
      }
    }
  }
}
