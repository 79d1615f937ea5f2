/// One benchmark in `bench.json`.
struct Report: Encodable {
  let name: String
  let unit: String
  let value: Spread?
  let peer: String
  let peerValue: Spread?
  /// How many times better than the peer, round by round.
  let ratio: Spread?
  let wallMicroseconds: Spread?
  let worldSeconds: Spread?
  let instructions: Double?
  let peerInstructions: Double?
  let allocations: Double?
  let requests: Int?
  let peerRequests: Int?

  enum CodingKeys: String, CodingKey {
    case name, unit, value, peer, ratio, instructions, allocations, requests
    case peerValue = "peer_value"
    case wallMicroseconds = "wall_us"
    case worldSeconds = "world_seconds"
    case peerRequests = "peer_requests"
    case peerInstructions = "peer_instructions"
  }

  init(_ name: String, _ unit: Unit, beside peer: String, _ measurement: Measurement) {
    self.name = name
    self.unit = unit.rawValue
    self.peer = peer
    value = Spread(measurement.values)
    peerValue = Spread(measurement.peerValues)
    ratio = Spread(zip(measurement.values, measurement.peerValues).map(unit.ratio))
    wallMicroseconds = Spread(measurement.wallMicroseconds)
    worldSeconds = Spread(measurement.worldSeconds)
    instructions = measurement.instructions?.rounded()
    peerInstructions = measurement.peerInstructions?.rounded()
    allocations = measurement.allocations?.toFourDigits
    requests = measurement.requests
    peerRequests = measurement.peerRequests
  }

  /// What the machine cannot change first; then the rounds, as median, least and most.
  var lines: String {
    var exact: [String] = []
    let short = peer.split(separator: " ").first ?? ""
    if let instructions {
      exact.append("\(Int(instructions)) instructions" + (peerInstructions.map { " (\(short) \(Int($0)))" } ?? ""))
    }
    if let allocations { exact.append("\(allocations) allocations") }
    if let requests { exact.append("\(requests) requests" + (peerRequests.map { " (\(short) \($0))" } ?? "")) }
    if unit == Unit.kibibytes.rawValue, let value { exact.append("\(value.median) KiB") }
    var timed: [String] = []
    if unit != Unit.kibibytes.rawValue, let value { timed.append("CPU \(value.text) \(unit)") }
    if let wallMicroseconds { timed.append("wall \(wallMicroseconds.text) us each") }
    if let peerValue, let ratio {
      timed.append("\(short) \(peerValue.median) \(unit)")
      timed.append("\(ratio.text) times better")
    }
    if let worldSeconds { timed.append("\(worldSeconds.text) simulated s in a second") }
    return ([name + ": " + exact.joined(separator: ", ")] + timed.map { "    " + $0 }).joined(separator: "\n")
  }
}
