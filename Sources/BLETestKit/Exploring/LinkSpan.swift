import BLEHCI
import BLEWire

/// The time of one link of a world, seen by its central.
struct LinkSpan: Codable, Hashable, Sendable {
  let central: String
  let peripheral: String
  let begin: Duration
  /// `nil`: until the world's end.
  var end: Duration?

  /// The links between devices of a world, from its traffic, in the order of their beginnings.
  static func all(in world: World) -> [LinkSpan] {
    let names = Dictionary(world.allDevices.map { ($0.address, $0.name) }) { first, _ in first }
    let traffic = world.recorder.traffic
    var spans: [LinkSpan] = []
    /// The place in `spans` of the link with a handle at a device.
    var open: [Int: [UInt16: Int]] = [:]
    for entry in traffic.entries.packets(.event, .toHost) {
      guard let packet = try? HCIEventPacket(entry.packet.octets), let event = try? HCIEvent(packet) else { continue }
      let now = Duration.nanoseconds(entry.instant.nanoseconds)
      switch event {
      case .disconnectionComplete(let end):
        guard let index = open[entry.device]?.removeValue(forKey: end.connectionHandle.rawValue) else { continue }
        spans[index].end = now
      case .commandComplete(let answer) where answer.opcode == HCIReset.opcode:
        // The controller was reset, and its links with it.
        for index in (open.removeValue(forKey: entry.device) ?? [:]).values { spans[index].end = now }
      default:
        guard let complete = event.connectionComplete, complete.status.isSuccess, complete.role == .central else {
          continue
        }
        let peer = names[complete.peerAddress.address] ?? "unknown device"
        open[entry.device, default: [:]][complete.connectionHandle.rawValue] = spans.count
        spans.append(
          LinkSpan(central: traffic.deviceNames[entry.device], peripheral: peer, begin: now, end: nil))
      }
    }
    return spans
  }
}
