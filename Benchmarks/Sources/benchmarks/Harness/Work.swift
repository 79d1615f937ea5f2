/// What a benchmark does, again and again, in one process.
protocol Work {
  /// Makes ready what so many operations need and what is no part of them.
  func prepare(_ operations: Int) async throws

  /// Does so many operations; about so many where the world's time decides.
  func run(_ operations: Int) async throws -> Done

  /// How many ATT requests an operation takes, where that says something.
  func requests() async throws -> Int?
}

extension Work {
  func prepare(_ operations: Int) async throws {}
  func requests() async throws -> Int? { nil }
}

/// What one go of some work has done.
struct Done {
  var operations: Int
  /// The time that has passed in the world, where that says something.
  var worldSeconds: Double?
}

/// One benchmark: a name, which the foreign stack's side knows too if it can do the work, and the work.
struct Benchmark: Sendable {
  let name: String
  let unit: Unit
  /// Operations of one round.
  let operations: Int
  /// Operations in which instructions are counted, which takes 50 times as long. None for memory.
  let counted: Int
  /// Whether the foreign stack can do this work.
  let hasPeer: Bool
  let make: @Sendable () async throws -> any Work

  init(
    _ name: String, _ unit: Unit, operations: Int, counted: Int, hasPeer: Bool = true,
    make: @escaping @Sendable () async throws -> any Work
  ) {
    self.name = name
    self.unit = unit
    self.operations = operations
    self.counted = counted
    self.hasPeer = hasPeer
    self.make = make
  }
}

/// What the number of a benchmark says.
enum Unit: String {
  /// Operations in a second of CPU time, all threads of the process.
  case rate = "1/s"
  /// CPU time of an operation.
  case milliseconds = "ms"
  /// CPU time of an hour of the world, an operation being a second of it.
  case secondsOfAnHour = "s"
  /// Memory that an operation leaves in use: by the allocator's count, not by the system's pages.
  case kibibytes = "KiB"

  /// The number, if an operation takes so many seconds, or leaves so many octets.
  func value(_ operation: Double) -> Double {
    switch self {
    case .rate: 1 / operation
    case .milliseconds: operation * 1000
    case .secondsOfAnHour: operation * 3600
    case .kibibytes: operation / 1024
    }
  }

  /// How many times better `value` is than `peer`.
  func ratio(_ value: Double, to peer: Double) -> Double { self == .rate ? value / peer : peer / value }
}
