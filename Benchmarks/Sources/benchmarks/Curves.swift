import Foundation

/// What an event costs in small worlds and in large ones.
struct Curve: Sendable {
  let name: String
  /// What there are 10 to 10,000 of.
  let members: String
  let event: String
  /// Events in which instructions are counted, at least; in a world of connections all notify at a time.
  let counted: @Sendable (Int) -> Int
  let make: @Sendable (Int) async throws -> any Work

  /// Numbers of members: half a power of ten apart.
  static let sizes = [10, 32, 100, 316, 1_000, 3_162, 10_000]
  /// Those of a brief run.
  static let briefSizes = [10, 100, 1_000]

  static let all = [
    Curve(
      name: "curve_listeners", members: "advertisers around one scanner", event: "report", counted: { _ in 16_000 }
    ) { try await AdvertisingIngest($0) },
    Curve(
      name: "curve_rooms", members: "advertisers, a scanner for each hundred", event: "report", counted: { _ in 16_000 }
    ) { try await AdvertisingIngest($0, hasRooms: true) },
    Curve(
      name: "curve_links", members: "connections, a central for each hundred", event: "notification",
      counted: { max(2_000, 4 * $0) }
    ) { try await SimulatedHour($0, hasRooms: true, countsNotifications: true) },
    Curve(
      name: "curve_bystanders", members: "devices beside one connection", event: "notification of 512 octets",
      counted: { _ in 2_000 }
    ) { try await Packets(.notification, octets: 512, beside: $0) },
  ]

  /// One size of it, of which nothing but the instructions is counted.
  func benchmark(of size: Int) -> Benchmark {
    Benchmark("\(name)_\(size)", .rate, operations: 0, counted: counted(size), hasPeer: false) { try await make(size) }
  }

  /// The benchmark of this name, such as `curve_links_100`.
  static func benchmark(named name: String) -> Benchmark? {
    for curve in all where name.hasPrefix(curve.name + "_") {
      if let size = Int(name.dropFirst(curve.name.count + 1)), size > 0 { return curve.benchmark(of: size) }
    }
    return nil
  }
}

/// What a curve has become.
struct CurveReport: Encodable {
  let name: String
  let members: String
  let event: String
  let points: [Point]
  /// By which power of the number of members the cost of all their events grows, fitted to all points: 1 if an event costs the same everywhere.
  let exponent: Double

  struct Point: Encodable {
    let members: Int
    /// For one event.
    let instructions: Double
  }

  /// - Parameter instructions: by the names of the benchmarks.
  init?(_ curve: Curve, _ sizes: [Int], _ instructions: [String: Double]) {
    (name, members, event) = (curve.name, curve.members, curve.event)
    points = sizes.compactMap { size in
      instructions[curve.benchmark(of: size).name].map { Point(members: size, instructions: $0.rounded()) }
    }
    guard points.count > 1 else { return nil }
    let (x, y) = (points.map { log(Double($0.members)) }, points.map { log($0.instructions) })
    let (middleX, middleY) = (x.reduce(0, +) / Double(x.count), y.reduce(0, +) / Double(y.count))
    let products = zip(x, y).reduce(0) { $0 + ($1.0 - middleX) * ($1.1 - middleY) }
    let squares = x.reduce(0) { $0 + ($1 - middleX) * ($1 - middleX) }
    exponent = (1 + products / squares).toFourDigits
  }

  var lines: String {
    "\(name): exponent \(exponent) (\(members); instructions of a \(event))\n    "
      + points.map { "\($0.members): \(Int($0.instructions))" }.joined(separator: ", ")
  }

  /// What grows faster than it may.
  func complaint(_ threshold: Threshold?) -> String? {
    guard let limit = threshold?.exponent, exponent > limit else { return nil }
    return "\(name): grows with the power \(exponent) of the \(members), at most \(limit) is allowed"
  }
}
