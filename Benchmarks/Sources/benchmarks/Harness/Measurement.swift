/// What one benchmark found out.
struct Measurement {
  /// Our rounds, each in the benchmark's unit; of memory there is one.
  var values: [Double] = []
  /// The peer's rounds, each made after ours of the same number.
  var peerValues: [Double] = []
  /// Wall time of our rounds, each in microseconds for an operation.
  var wallMicroseconds: [Double] = []
  /// Seconds of the world's time in one second of CPU time, in our rounds.
  var worldSeconds: [Double] = []
  /// Blocks of memory asked for in one operation, both stacks, the radio and the two programs taken together.
  var allocations: Double?
  /// Instructions of one operation, of the same.
  var instructions: Double?
  /// Instructions of the peer's, if it is no interpreter.
  var peerInstructions: Double?
  /// ATT requests that the work took.
  var requests: Int?
  var peerRequests: Int?
}

/// Measures a benchmark in rounds, ours and the peer's by turns, so that a machine which is slow for a while is slow for both. A brief
/// measuring is one of what can be counted, without rounds.
struct Measuring {
  let isBrief: Bool
  let peer: Peer?

  private static let rounds = 7

  func measure(_ benchmark: Benchmark) async throws -> Measurement {
    let visit = benchmark.hasPeer && !isBrief ? try peer?.visit(benchmark.name) : nil
    defer { visit?.end() }
    if benchmark.unit == .kibibytes { return try memory(benchmark, beside: visit) }
    let work = try await benchmark.make()
    let operations = isBrief ? benchmark.operations / 5 : benchmark.operations
    // The first go does not count: what is made once is made in it.
    try await work.prepare(operations)
    _ = try await work.run(operations)
    var measurement = Measurement()
    if !isBrief { try await time(work, operations, in: benchmark.unit, beside: visit, &measurement) }
    try await work.prepare(operations)
    let heap = try await ProcessUsage.heap { try await work.run(operations) }
    measurement.allocations = heap.blocks / Double(heap.result.operations)
    measurement.requests = try await work.requests()
    return measurement
  }

  private func memory(_ benchmark: Benchmark, beside visit: Peer.Visit?) throws -> Measurement {
    var measurement = Measurement(values: [benchmark.unit.value(try HeapCounter.count(benchmark.name))])
    if let visit { measurement.peerValues.append(try visit.round().value) }
    return measurement
  }

  private func time(
    _ work: any Work, _ operations: Int, in unit: Unit, beside visit: Peer.Visit?, _ measurement: inout Measurement
  ) async throws {
    for _ in 0..<Self.rounds {
      try await work.prepare(operations)
      let (cpu, wall) = (ProcessUsage.cpuSeconds, ProcessUsage.wallSeconds)
      let done = try await work.run(operations)
      let seconds = ProcessUsage.cpuSeconds - cpu
      measurement.wallMicroseconds.append((ProcessUsage.wallSeconds - wall) * 1e6 / Double(done.operations))
      measurement.values.append(unit.value(seconds / Double(done.operations)))
      if let passed = done.worldSeconds { measurement.worldSeconds.append(passed / seconds) }
      if let answer = try visit?.round() {
        measurement.peerValues.append(answer.value)
        measurement.peerRequests = answer.requests
      }
    }
  }
}
