import BLECore

/// A world that is to be run: a line of JSON on the way to a worker.
struct WorldOrder: Codable, Sendable {
  /// How far a world may go.
  struct Limits: Codable, Sendable {
    var time: Duration
    var steps: Int
    /// In a worker: the processor time, in all threads.
    var processorTime: Duration
    /// In a worker: by how many octets the resident memory may grow.
    var memory: Int
    /// In a worker: the number of looks in a row, ten in a second, at which all threads sleep and the world does not move.
    var patience = 50

    init(_ budget: ExplorationBudget) {
      time = budget.timeLimit
      steps = budget.stepLimit
      processorTime = budget.processorTimeLimit
      memory = budget.memoryLimit
    }
  }

  /// Where the world's traffic is written: while it runs, so that it is there if the process ends.
  struct Capture: Codable, Sendable {
    /// `nil`: the folder for captures.
    let folder: String?
    let test: String
  }

  let seed: UInt64
  let events: [WorldEvent]
  let limits: Limits
  var capture: Capture?
}

/// How a world ended: a line of JSON on the way back.
struct WorldReport: Codable, Sendable {
  var failure: TrialFailure?
  /// Its devices, in the order of their making.
  var devices: [ExploredDevice] = []
  /// The time of the world at its end.
  var time = Duration.zero
  /// How often its clock stood still.
  var steps = 0
  /// The events that have struck.
  var strikes: [EventStrike] = []
  /// The opcodes of the Attribute Protocol's requests and indications that have passed.
  var opcodes: [UInt8] = []
  /// The links of a world that fails.
  var links: [LinkSpan] = []
  /// The path of the capture that was asked for.
  var capturePath: String?
  /// Of a worker: what the world has cost.
  var processorTime = Duration.zero
  /// Of a worker: the resident memory after the world, in octets.
  var resident = 0
  /// Of a worker: what is allocated after the world, in octets.
  var allocated = 0
  /// Of a worker: the number of its process.
  var process: Int32 = 0
  /// The worker ends with this world.
  var isLast = false
}

/// Runs worlds, one at a time.
protocol WorldRunner: Sendable {
  func run(_ order: WorldOrder) async -> WorldReport
  /// Releases what it has; it runs no more worlds.
  func end() async
}

/// Runs them in this process.
struct LocalRunner: WorldRunner {
  let body: WorldTrial.Body

  func run(_ order: WorldOrder) async -> WorldReport { await WorldTrial.run(order, body).report }
  func end() async {}
}
