import Foundation

/// What a benchmark must reach, from `thresholds.json`. Counts are judged as they are; what is measured in time is judged by its best round,
/// because a busy machine makes rounds worse and never better.
struct Threshold: Decodable {
  /// At most so many instructions for an operation, on the architecture and with the compiler that `README.md` names.
  var instructions: Double?
  /// At most so many blocks of memory for an operation.
  var allocations: Double?
  /// At most so many ATT requests.
  var requests: Int?
  /// At most so many KiB of heap.
  var kibibytes: Double?
  /// At least so many times better than the peer.
  var ratio: Double?
  /// At least so many seconds of the world's time in a second of CPU time.
  var worldSeconds: Double?
  /// At most so many times the instructions of another benchmark of the same run.
  var beside: Beside?
  /// Of a curve: the cost of all events grows at most with this power of the number of members.
  var exponent: Double?

  struct Beside: Decodable {
    let name: String
    let times: Double
  }

  enum CodingKeys: String, CodingKey {
    case instructions, allocations, requests, ratio, beside, exponent
    case kibibytes = "kib"
    case worldSeconds = "world_seconds"
  }

  /// What `report` fails.
  func complaints(about report: Report, among reports: [Report]) -> [String] {
    var complaints: [String] = []
    func atMost(_ limit: Double?, _ found: Double?, _ what: String) {
      guard let limit, let found, found > limit else { return }
      complaints.append("\(report.name): \(found) \(what), at most \(limit) are allowed")
    }
    func atLeast(_ limit: Double?, _ found: Double?, _ what: String) {
      guard let limit, let found, found < limit else { return }
      complaints.append("\(report.name): \(found) \(what) in the best round, at least \(limit) are asked for")
    }
    #if arch(x86_64)
      atMost(instructions, report.instructions, "instructions an operation")
    #endif
    atMost(allocations, report.allocations, "allocations an operation")
    atMost(requests.map(Double.init), report.requests.map(Double.init), "ATT requests")
    if report.unit == Unit.kibibytes.rawValue { atMost(kibibytes, report.value?.median, "KiB") }
    if let beside, let other = reports.first(where: { $0.name == beside.name })?.instructions {
      let times = report.instructions.map { ($0 / other).toFourDigits }
      atMost(beside.times, times, "times the instructions of \(beside.name)")
    }
    atLeast(ratio, report.ratio?.most, "times better than \(report.peer)")
    atLeast(worldSeconds, report.worldSeconds?.most, "simulated s in a second")
    return complaints
  }

  static func read(_ path: String) throws -> [String: Threshold] {
    try JSONDecoder().decode([String: Threshold].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
