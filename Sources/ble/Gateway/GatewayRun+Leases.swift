import BLEGateway

extension GatewayRun {
  /// What happens to the leases of the fleet.
  func take(_ report: LeaseReport) {
    switch report {
    case .held(let device, let epoch):
      tell("held", device, "\(device): held by this gateway, epoch \(epoch)")
    case .ended(let device, let epoch, let end):
      let (reason, gateway) = Self.words(end)
      tell("ended", device, gateway: gateway, reason: reason, "\(device): not held any more, epoch \(epoch): \(reason)")
    case .nameTaken(let other):
      tell(
        "name-taken", nil, gateway: other.gateway,
        "Another gateway runs under the name of this one (instance \(other.instance.inert)): give each its own.")
    case .nameFree: tell("name-free", nil, "No other gateway runs under the name of this one any more.")
    case .repaired(let topic):
      tell(
        "repaired", nil, topic: topic.path, "What stood on fleet/\(topic.path.inert) was no lease, and was replaced.")
    case .tooManyDevices: tell("too-many-devices", nil, "More devices are heard than leases are followed.")
    }
  }

  func tell(
    _ status: String, _ device: String?, gateway: String? = nil, topic: String? = nil, reason: String? = nil,
    _ sentence: String
  ) {
    output.event(
      "lease",
      [
        "status": .string(status), "device": .string(orNull: device), "gateway": .string(orNull: gateway),
        "topic": .string(orNull: topic), "reason": .string(orNull: reason),
      ], sentence)
  }

  /// Why a device is not held any more, and which gateway has it.
  private static func words(_ end: LeaseEnd) -> (reason: String, gateway: String?) {
    switch end {
    case .superseded(let other): ("\(other.gateway) has claimed it", other.gateway)
    case .handedOver(let other): ("handed over to \(other.gateway), which hears it better", other.gateway)
    case .failed: ("it did not connect", nil)
    case .lost: ("its session has given up", nil)
    case .isolated: ("there is no broker", nil)
    case .nameTaken: ("another gateway has the name of this one", nil)
    case .requested: ("this gateway gives it up", nil)
    }
  }
}
