import Foundation

/// Counts the octets of heap that an operation leaves in use, in a process of its own: what other benchmarks have made is released when threads come
/// to it, which may be while these octets are counted.
enum HeapCounter {
  /// - Returns: octets of one operation.
  static func count(_ name: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--heap", name]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0, let octets = try? JSONDecoder().decode(Double.self, from: said) else {
      throw Failure(description: "counting the heap of \(name) failed (exit code \(process.terminationStatus))")
    }
    return octets
  }

  /// The work of that process.
  static func doWork(of benchmark: Benchmark) async throws {
    let work = try await benchmark.make()
    let heap = try await ProcessUsage.heap { try await work.run(benchmark.operations) }
    FileHandle.standardOutput.write(try JSONEncoder().encode(heap.octets / Double(heap.result.operations)))
  }
}
