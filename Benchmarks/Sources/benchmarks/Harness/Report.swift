import Foundation

/// One line of `bench.json`.
struct Report: Encodable {
  let name: String
  let value: Double
  let unit: String
  let peer: String
  let peerValue: Double?
  /// How many times better than the peer.
  let ratio: Double?
  let allocations: Double?
  let requests: Int?
  let peerRequests: Int?
  let deviceKibibytes: Double?
  let wallSeconds: Double?
  let simulatedSeconds: Double?

  enum CodingKeys: String, CodingKey {
    case name, value, unit, peer, ratio, allocations, requests
    case peerValue = "peer_value"
    case peerRequests = "peer_requests"
    case deviceKibibytes = "device_kib"
    case wallSeconds = "wall_seconds"
    case simulatedSeconds = "simulated_seconds"
  }

  init(_ name: String, _ measurement: Measurement, beside answer: Peer.Answer?) {
    self.name = name
    value = Self.rounded(measurement.value)
    unit = measurement.unit.rawValue
    peer = "Bumble 0.0.236"
    peerValue = answer.map { Self.rounded($0.value) }
    ratio = answer.map { Self.rounded(measurement.ratio(to: $0.value)) }
    allocations = measurement.allocations.map(Self.rounded)
    requests = measurement.requests
    peerRequests = answer?.requests
    deviceKibibytes = measurement.deviceKibibytes.map(Self.rounded)
    wallSeconds = measurement.wallSeconds.map(Self.rounded)
    simulatedSeconds = measurement.simulatedSeconds.map(Self.rounded)
  }

  /// To four digits: more would say more than was measured.
  private static func rounded(_ value: Double) -> Double {
    guard value.isFinite, value != 0 else { return value }
    let scale = pow(10, 3 - floor(log10(abs(value))))
    return (value * scale).rounded() / scale
  }

  var line: String {
    var parts = [name.padding(toLength: 28, withPad: " ", startingAt: 0), "\(value) \(unit)"]
    if let peerValue, let ratio { parts.append("Bumble \(peerValue) \(unit), \(ratio) times better") }
    if let allocations { parts.append("\(allocations) allocations") }
    if let requests { parts.append("\(requests) requests" + (peerRequests.map { " (Bumble \($0))" } ?? "")) }
    if let deviceKibibytes { parts.append("\(deviceKibibytes) KiB a known device") }
    if let wallSeconds { parts.append("\(wallSeconds) s of wall time") }
    if let simulatedSeconds { parts.append("\(simulatedSeconds) simulated s in a second") }
    return parts.joined(separator: " | ")
  }
}
