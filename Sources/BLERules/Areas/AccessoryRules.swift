import BLECore
import BLEWire

/// What a device sends to the phone.
struct AccessoryRules {
  /// The links on which a request was refused for security (Core, Vol 3 Part F 3.4.1.1).
  private var refused: Set<UInt16> = []
  private static let securityErrors: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]

  mutating func receive(_ packet: HCIPacket, at now: StackInstant, _ findings: inout RuleFindings) {
    guard let packet = try? HCIACLPacket(packet.octets), packet.boundary != .continuing else { return }
    var reader = ByteReader(packet.payload, layer: "L2CAP")
    guard let frame = try? L2CAPFrame(from: &reader) else { return }
    let octets = Array(frame.informationPayload.prefix(12))
    let link = packet.connectionHandle.rawValue
    switch frame.channel {
    case .attributeProtocol:
      if octets.count >= 5, octets[0] == 0x01, Self.securityErrors.contains(octets[4]) {
        if refused.count > 4_096 { refused = [] }
        refused.insert(link)
      }
    case .securityManager:
      // Security Request (Core, Vol 3 Part H 3.6.7).
      if octets.first == SMPCode.securityRequest.rawValue, !refused.contains(link) {
        findings.strike(.securityRequestUnprompted, at: now, nil, "Security Request") {
          "a Security Request comes before a request was refused"
        }
      }
    case .lowEnergySignaling:
      guard octets.count >= 12, octets[0] == L2CAPSignalingCode.connectionParameterUpdateRequest.rawValue else {
        return
      }
      var reader = ByteReader(octets[4...], layer: "L2CAP")
      guard let request = try? L2CAPConnectionParameterUpdateRequest(from: &reader) else { return }
      let faults = Self.faults(of: request)
      if !faults.isEmpty {
        findings.strike(.connectionParameters, at: now, nil, "Connection Parameter Update Request") {
          faults.joined(separator: "; ")
        }
      }
    default: return
    }
  }

  /// In units of 1.25 ms.
  private static let shortest = 12

  static func faults(of request: L2CAPConnectionParameterUpdateRequest) -> [String] {
    let (shortest, longest) = (Int(request.intervalMin), Int(request.intervalMax))
    let (latency, timeout) = (Int(request.latency), Int(request.timeout))
    var faults: [String] = []
    if shortest < Self.shortest { faults.append("the shortest interval is \(milliseconds(shortest)), below 15 ms") }
    if longest < shortest + Self.shortest, !(shortest == Self.shortest && longest == Self.shortest) {
      faults.append(
        "the longest interval, \(milliseconds(longest)), is less than 15 ms above \(milliseconds(shortest))")
    }
    let silence = longest * (latency + 1)
    if silence > 1_600 { faults.append("the device may be silent for \(milliseconds(silence)), more than 2 s") }
    if latency > 30 { faults.append("the latency is \(latency), more than 30") }
    if timeout < 200 { faults.append("the time-out is \(timeout * 10) ms, below 2 s") }
    // Units of 1.25 ms and of 10 ms.
    if silence * 3 >= timeout * 8 {
      faults.append("the time-out of \(timeout * 10) ms is not more than three times \(milliseconds(silence))")
    }
    return faults
  }

  private static func milliseconds(_ units: Int) -> String {
    let hundredths = units * 125
    let rest = hundredths % 100
    return rest == 0 ? "\(hundredths / 100) ms" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
