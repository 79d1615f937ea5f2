import CInstructions
import Foundation
import Synchronization

/// Counts the instructions of an operation: by callgrind, in a process of its own, which does the work twice, once with few operations and once
/// with many. What a go costs beside its operations, start and end, falls out of the difference.
struct InstructionCounter {
  /// Where callgrind's files are kept, to be looked at; nil if they are not.
  var folder: String?
  /// This program without information for debuggers, which valgrind 3.19 does not understand as Swift writes it.
  let program: String

  private static let goes = ["few", "many"]

  /// What the process says of a go: how many operations there were.
  private struct Goes: Codable {
    var few: Int
    var many: Int
  }

  /// Counts for several benchmarks, as many at a time as there are processors: what else runs does not change the numbers.
  /// - Returns: instructions of an operation, in all threads, by the benchmark's name.
  func count(_ names: [String]) throws -> [String: Double] {
    let files = FileManager.default
    let place = URL(fileURLWithPath: folder ?? NSTemporaryDirectory() + "benchmarks-\(getpid())")
    try files.createDirectory(at: place, withIntermediateDirectories: true)
    defer { if folder == nil { try? files.removeItem(at: place) } }
    let found = Mutex<[String: Result<Double, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: names.count) { index in
      let result = Result { try count(names[index], in: place) }
      found.withLock { $0[names[index]] = result }
    }
    return try found.withLock { try $0.mapValues { try $0.get() } }
  }

  private func count(_ name: String, in place: URL) throws -> Double {
    let base = place.appendingPathComponent("callgrind.\(name)").path
    // So that each run takes the same steps: valgrind lets each thread that can run have its turn, collections hash
    // the same, and threads share one heap.
    let arguments = [
      "SWIFT_DETERMINISTIC_HASHING=1", "MALLOC_ARENA_MAX=1", "valgrind", "--quiet", "--tool=callgrind",
      "--fair-sched=yes", "--instr-atstart=no", "--callgrind-out-file=\(base)", program, "--count", name,
    ]
    let printed = try outputOfProcess(
      URL(fileURLWithPath: "/usr/bin/env"), arguments, purpose: "counting the instructions of \(name)")
    let goes = try JSONDecoder().decode(Goes.self, from: printed)
    let (few, many) = (try Self.total(of: base + ".1"), try Self.total(of: base + ".2"))
    guard goes.many > goes.few, many > few else {
      throw Failure(description: "callgrind counted nothing in \(name)")
    }
    return Double(many - few) / Double(goes.many - goes.few)
  }

  /// The number behind `totals:` in one of callgrind's files.
  private static func total(of path: String) throws -> Int {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("totals:") }),
      let total = Int(line.dropFirst("totals:".count).trimmingCharacters(in: .whitespaces))
    else { throw Failure(description: "callgrind's file \(path) has no line with totals") }
    return total
  }

  /// The work of that process.
  static func doWork(of benchmark: Benchmark) async throws {
    guard instructions_can_be_counted() else {
      throw Failure(description: "--count needs valgrind, with its headers when this is built (Debian: valgrind)")
    }
    let work = try await benchmark.make()
    var counts: [Int] = []
    // As much as the larger go, so that nothing grows in it for the first time.
    try await work.prepare(benchmark.counted)
    _ = try await work.run(benchmark.counted)
    for (label, operations) in zip(goes, [benchmark.counted / 4, benchmark.counted]) {
      try await work.prepare(operations)
      instructions_start()
      counts.append(try await work.run(operations).operations)
      instructions_dump(label)
      instructions_stop()
    }
    FileHandle.standardOutput.write(try JSONEncoder().encode(Goes(few: counts[0], many: counts[1])))
  }
}
