import Foundation

/// What a benchmark must reach, from `thresholds.json`.
struct Threshold: Decodable {
  /// At least so many times better than the peer.
  var ratio: Double?
  /// At most so many blocks of memory for an operation.
  var allocations: Double?
  /// At most so many ATT requests.
  var requests: Int?
  /// At most so much wall time.
  var wallSeconds: Double?
  /// At least so many seconds of the world's time in a second of CPU time.
  var simulatedSeconds: Double?
  /// At least this share of the rate of another benchmark of the same run.
  var share: Share?

  struct Share: Decodable {
    let of: String
    let atLeast: Double

    enum CodingKeys: String, CodingKey {
      case of
      case atLeast = "at_least"
    }
  }

  enum CodingKeys: String, CodingKey {
    case ratio, allocations, requests, share
    case wallSeconds = "wall_seconds"
    case simulatedSeconds = "simulated_seconds"
  }

  /// What `report` fails. A brief run is judged only by what does not depend on the machine.
  func complaints(about report: Report, among reports: [Report], isBrief: Bool) -> [String] {
    var complaints: [String] = []
    if let allocations, let found = report.allocations, found > allocations {
      complaints.append("\(report.name): \(found) allocations an operation, at most \(allocations) are allowed")
    }
    if let requests, let found = report.requests, found > requests {
      complaints.append("\(report.name): \(found) ATT requests, at most \(requests) are allowed")
    }
    if isBrief { return complaints }
    if let ratio, let found = report.ratio, found < ratio {
      complaints.append("\(report.name): \(found) times better than \(report.peer), at least \(ratio) are asked for")
    }
    if let share, let other = reports.first(where: { $0.name == share.of }), report.value < share.atLeast * other.value
    {
      let found = (report.value / other.value * 100).rounded() / 100
      complaints.append("\(report.name): \(found) of the rate of \(share.of), at least \(share.atLeast) is asked for")
    }
    if let wallSeconds, let found = report.wallSeconds, found > wallSeconds {
      complaints.append("\(report.name): \(found) s of wall time, at most \(wallSeconds) are allowed")
    }
    if let simulatedSeconds, let found = report.simulatedSeconds, found < simulatedSeconds {
      complaints.append("\(report.name): \(found) simulated s in a second, at least \(simulatedSeconds) are asked for")
    }
    return complaints
  }

  static func read(_ path: String) throws -> [String: Threshold] {
    try JSONDecoder().decode([String: Threshold].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
