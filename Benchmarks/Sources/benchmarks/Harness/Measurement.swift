/// What one benchmark found out.
struct Measurement {
  var value: Double
  var unit: Unit
  /// Blocks of memory asked for in one operation, both stacks, the radio and the two programs taken together.
  var allocations: Double?
  /// ATT requests that the work took.
  var requests: Int?
  /// Resident memory for each device that is known, its objects in the program's hands included.
  var deviceKibibytes: Double?
  /// Wall time, where a limit is set to it, in seconds.
  var wallSeconds: Double?
  /// Seconds of the world's time in one second of CPU time.
  var simulatedSeconds: Double?

  enum Unit: String {
    /// Operations in a second of CPU time, all threads of the process.
    case rate = "1/s"
    /// CPU time.
    case milliseconds = "ms"
    /// CPU time.
    case seconds = "s"
    case kibibytes = "KiB"
  }

  /// How many times better `value` is than `peer`.
  func ratio(to peer: Double) -> Double {
    switch unit {
    case .rate: value / peer
    case .milliseconds, .seconds, .kibibytes: peer / value
    }
  }
}

/// One benchmark: a name, which the foreign stack's side knows too if it can do the work, and the work.
struct Benchmark: Sendable {
  let name: String
  let work: @Sendable (Effort) async throws -> Measurement
  /// Whether the foreign stack can do this work.
  let hasPeer: Bool

  init(name: String, hasPeer: Bool = true, work: @escaping @Sendable (Effort) async throws -> Measurement) {
    self.name = name
    self.hasPeer = hasPeer
    self.work = work
  }
}

/// How much is done for one number.
struct Effort: Sendable {
  /// For a first look and for CI: too little for a number to rely on.
  let isBrief: Bool

  var rounds: Int { isBrief ? 3 : 7 }

  func operations(_ count: Int) -> Int { isBrief ? count / 5 : count }

  /// The median of the CPU time, in seconds, that `work` takes, after a first go that does not count.
  func medianCPUSeconds(_ work: () async throws -> Void) async throws -> Double {
    try await work()
    var times: [Double] = []
    for _ in 0..<rounds {
      let start = ProcessUsage.cpuSeconds
      try await work()
      times.append(ProcessUsage.cpuSeconds - start)
    }
    return times.median
  }
}

extension [Double] {
  var median: Double {
    let ordered = sorted()
    if ordered.isEmpty { return .nan }
    let middle = ordered.count / 2
    return ordered.count.isMultiple(of: 2) ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
  }
}
