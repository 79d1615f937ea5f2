import BLECore

/// Why it is not clear which device of a log is meant.
package enum LogChoiceError: Error, Sendable {
  /// No device was named, and the log has conversations with these.
  case severalTalked([LogSurvey.Device])
  /// The log has no device of that name; it has conversations with these.
  case unknown([LogSurvey.Device])
  /// The name can be any of these.
  case ambiguous([LogSurvey.Device])
  /// The log has no conversation that can be read, as far as is known because of these: sentences without an end.
  case nothing(reasons: [String])
}

extension LogSurvey {
  /// The device that is meant by `wanted`: a name, the beginning of a name, or an address; without one the only device that was talked to.
  package func choice(_ wanted: String?, _ follower: LogFollower) throws(LogChoiceError) -> DeviceAddress {
    let talked = all.filter { $0.pduCount > 0 }
    guard let wanted else {
      if talked.count == 1 { return talked[0].address }
      throw talked.isEmpty ? .nothing(reasons: reasons(follower)) : .severalTalked(talked)
    }
    let found = devices(named: wanted)
    if found.count == 1 { return found[0].address }
    // Of several addresses of one name the one that was talked to is meant.
    let spoken = found.filter { $0.pduCount > 0 }
    if spoken.count == 1 { return spoken[0].address }
    throw found.isEmpty ? .unknown(talked) : .ambiguous(found)
  }

  /// Why there is no conversation: the log may have one that cannot be read.
  private func reasons(_ follower: LogFollower) -> [String] {
    var reasons: [String] = []
    if follower.framesOfUnknownLinks > 0 {
      reasons.append("\(follower.framesOfUnknownLinks) frames belong to links that began before it")
    }
    if follower.airPackets > 0 {
      reasons.append("\(follower.airPackets) packets were recorded on the air, where links cannot be followed")
    }
    if follower.cutPackets > 0 { reasons.append("of \(follower.cutPackets) packets it has the beginnings only") }
    let heard = all.count
    if heard > 0 { reasons.append("\(heard) devices were only heard") }
    return reasons
  }
}
