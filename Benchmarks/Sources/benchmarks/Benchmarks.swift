import Foundation

/// Measures whole stacks, from one program's Core Bluetooth to another's over the simulated radio, and beside each number
/// the foreign stack at the same work. Writes a JSON file; fails where a threshold is missed.
@main
enum Benchmarks {
  static let all = [
    Benchmark("notify_512", .rate, operations: 20_000, counted: 2_000) {
      try await Packets(.notification, octets: 512)
    },
    Benchmark("write_without_response_512", .rate, operations: 20_000, counted: 2_000) {
      try await Packets(.writeWithoutResponse, octets: 512)
    },
    Benchmark("notify_20", .rate, operations: 20_000, counted: 2_000) { try await Packets(.notification, octets: 20) },
    Benchmark("read_20", .rate, operations: 10_000, counted: 800) { try await Packets(.read, octets: 20) },
    Benchmark("channel", .rate, operations: 40_000, counted: 0, hasPeer: false) { try await ChannelOctets() },
    Benchmark("discover_10x5", .milliseconds, operations: 20, counted: 24) { Discovery() },
    Benchmark("advertising_ingest", .rate, operations: 8_000, counted: 16_000) { try await AdvertisingIngest() },
    Benchmark("facade_ingest_10", .rate, operations: 100_000, counted: 4_000) {
      try await Ingest(devices: 10, areKnown: true)
    },
    Benchmark("facade_ingest_10000", .rate, operations: 100_000, counted: 4_000) {
      try await Ingest(devices: 10_000, areKnown: true)
    },
    Benchmark("listed_10", .rate, operations: 40_000, counted: 4_000, hasPeer: false) {
      try await Listing(places: 10)
    },
    Benchmark("listed_4000", .rate, operations: 40_000, counted: 8_000, hasPeer: false) {
      try await Listing(places: 4_000)
    },
    Benchmark("replaced_10", .rate, operations: 20_000, counted: 2_000, hasPeer: false) {
      try await Listing(places: 10, isEachNew: true)
    },
    Benchmark("replaced_4000", .rate, operations: 20_000, counted: 16_000, hasPeer: false) {
      try await Listing(places: 4_000, isEachNew: true)
    },
    Benchmark("known_device_memory", .kibibytes, operations: 10_000, counted: 0, hasPeer: false) {
      try await Ingest(devices: 10_000, areKnown: false)
    },
    Benchmark("device_memory", .kibibytes, operations: 400, counted: 0) { try await DeviceMemory() },
    Benchmark("simulated_hour_100_devices", .secondsOfAnHour, operations: 600, counted: 20) {
      try await SimulatedHour()
    },
    Benchmark("simulated_hour_1000_devices", .secondsOfAnHour, operations: 120, counted: 4, hasPeer: false) {
      try await SimulatedHour(1_000, hasRooms: true)
    },
    Benchmark("explored_worlds", .rate, operations: 100, counted: 16, hasPeer: false) { ExploredWorlds() },
  ]

  /// Not asynchronous: the main thread of such a program ends, and valgrind 3.19 ends with it (it writes to the mask of signals, which is constant,
  /// with which Dispatch lets that thread sleep).
  static func main() {
    // A foreign stack that has failed says so by its status; that it does not read any more is no reason to end here.
    signal(SIGPIPE, SIG_IGN)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        let complaints = try await perform(try Options(CommandLine.arguments.dropFirst()))
        for complaint in complaints { print("missed: \(complaint)") }
        if !complaints.isEmpty { exit(1) }
      } catch {
        FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
        exit(1)
      }
      done.signal()
    }
    done.wait()
  }

  private static func perform(_ options: Options) async throws -> [String] {
    switch options.mode {
    case .measure: return try await measure(options)
    case .checkAdapter: try PlainProgram.check()
    case .count:
      for name in options.names {
        guard let benchmark = all.first(where: { $0.name == name }) ?? Curve.benchmark(named: name) else { continue }
        try await InstructionCounter.doWork(of: benchmark)
      }
    case .heap:
      for benchmark in all where options.names.contains(benchmark.name) { try await HeapCounter.doWork(of: benchmark) }
    }
    return []
  }

  private static let bumble = "Bumble 0.0.236"

  private static func measure(_ options: Options) async throws -> [String] {
    let thresholds = try Threshold.read(options.thresholds)
    let chosen = all.filter { options.names.isEmpty || options.names.contains($0.name) }
    let curves = Curve.all.filter { options.names.isEmpty || options.names.contains($0.name) }
    let sizes = options.isBrief ? Curve.briefSizes : Curve.sizes
    let counter = InstructionCounter(folder: options.profiles, program: options.counted)
    let points = curves.flatMap { curve in sizes.map { curve.benchmark(of: $0) } }
    let instructions = try counter.count((chosen + points).filter { $0.counted > 0 }.map(\.name))
    let measuring = Measuring(
      isBrief: options.isBrief,
      peer: options.python.map { Peer(name: bumble, program: $0, words: [options.script]) })
    var reports: [Report] = []
    var complaints: [String] = []
    func conclude(_ report: Report) {
      print(report.lines)
      reports.append(report)
      complaints += thresholds[report.name]?.complaints(about: report, among: reports) ?? []
    }
    for benchmark in chosen {
      var measurement = try await measuring.measure(benchmark)
      measurement.instructions = instructions[benchmark.name]
      conclude(Report(benchmark.name, benchmark.unit, beside: bumble, measurement))
    }
    let curveReports = curves.compactMap { CurveReport($0, sizes, instructions) }
    for report in curveReports {
      print(report.lines)
      complaints += report.complaint(thresholds[report.name]).map { [$0] } ?? []
    }
    if let program = options.attributes {
      let comparison = AttributeComparison(
        program: program, bluez: options.bluez, isBrief: options.isBrief, profiles: options.profiles)
      let names = AttributeComparison.names.filter { options.names.isEmpty || options.names.contains($0) }
      for report in try comparison.measure(names) { conclude(report) }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    if let output = options.output {
      try encoder.encode(reports).write(to: URL(fileURLWithPath: output))
      print("written: \(output)")
    }
    if let output = options.curves {
      try encoder.encode(curveReports).write(to: URL(fileURLWithPath: output))
      print("written: \(output)")
    }
    return complaints
  }
}

/// `benchmarks --thresholds FILE [--output FILE] [--curves FILE] [--python FILE --script FILE] [--counted PROGRAM] [--attributes PROGRAM [--bluez PROGRAM]] [--profiles FOLDER]
/// [--brief] [name ...]`,
/// where `--counted` is this program as valgrind can read it; `benchmarks --count name`, which under callgrind does the work of one for its
/// instructions; `benchmarks --heap name`, which does the work of one for its memory; or `benchmarks --check-adapter`, which measures nothing: it
/// shows that a program which is built for speed gets its adapter.
struct Options {
  enum Mode { case measure, count, heap, checkAdapter }

  var thresholds = "thresholds.json"
  var output: String?
  /// Where the curves go.
  var curves: String?
  var python: String?
  var script = "peer/bumble_benchmark.py"
  var profiles: String?
  var counted = CommandLine.arguments[0]
  /// The program that does the work of attributes alone, and BlueZ's that does the same.
  var attributes: String?
  var bluez: String?
  var isBrief = false
  var mode = Mode.measure
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
      case "--curves": curves = try value(of: argument)
      case "--python": python = try value(of: argument)
      case "--script": script = try value(of: argument)
      case "--profiles": profiles = try value(of: argument)
      case "--counted": counted = try value(of: argument)
      case "--attributes": attributes = try value(of: argument)
      case "--bluez": bluez = try value(of: argument)
      case "--brief": isBrief = true
      case "--count": mode = .count
      case "--heap": mode = .heap
      case "--check-adapter": mode = .checkAdapter
      default:
        let isKnown =
          Benchmarks.all.contains { $0.name == argument } || AttributeComparison.names.contains(argument)
          || Curve.all.contains { $0.name == argument } || (mode == .count && Curve.benchmark(named: argument) != nil)
        guard isKnown else {
          throw Failure(description: "there is no benchmark called \(argument)")
        }
        names.insert(argument)
      }
    }
  }
}
