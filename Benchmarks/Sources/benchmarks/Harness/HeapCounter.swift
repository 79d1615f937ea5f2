import Foundation

/// Counts the octets of heap that an operation leaves in use, in a process of its own: what other benchmarks have made is released when threads come
/// to it, which may be while these octets are counted.
enum HeapCounter {
  /// - Returns: octets of one operation.
  static func count(_ name: String) throws -> Double {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let printed = try outputOfProcess(program, ["--heap", name], purpose: "counting the heap of \(name)")
    return try JSONDecoder().decode(Double.self, from: printed)
  }

  /// The work of that process.
  static func doWork(of benchmark: Benchmark) async throws {
    let work = try await benchmark.make()
    let heap = try await ProcessUsage.heap { try await work.run(benchmark.operations) }
    FileHandle.standardOutput.write(try JSONEncoder().encode(heap.octets / Double(heap.result.operations)))
  }
}
