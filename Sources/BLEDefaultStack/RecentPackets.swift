public import BLECapture
public import BLECore
public import BLEHCI
public import BLEWire
import Synchronization

/// Keeps the last packets between a host and its controller in memory, without keys and other secrets, to be looked at while the
/// program runs. Written on the loop, read from anywhere.
///
/// Reports of advertisements are kept apart: they come in such numbers that they would displace everything else.
public final class RecentPackets: HCITap, Sendable {
  private struct State {
    var reports: Kept
    var others: Kept
    var redaction = CaptureRedaction()
    var count: UInt64 = 0
  }

  private struct Kept {
    let limit: Int
    var packets = FIFO<(number: UInt64, packet: CapturedPacket)>()
    var size = 0

    mutating func append(_ number: UInt64, _ packet: CapturedPacket) {
      packets.append((number, packet))
      size += RecentPackets.size(of: packet)
      while size > limit, let oldest = packets.popFirst() { size -= RecentPackets.size(of: oldest.packet) }
    }
  }

  private let state: Mutex<State>
  private let origin: CaptureTimestamp

  /// - Parameters:
  ///   - origin: the time at which the loop's time began.
  ///   - limit: the most octets of packets that are kept; a quarter of them are for reports of advertisements.
  public init(origin: CaptureTimestamp, limit: Int = 8 << 20) {
    self.origin = origin
    state = Mutex(State(reports: Kept(limit: limit / 4), others: Kept(limit: limit - limit / 4)))
  }

  public func tapDidHear(_ packet: HCIPacket, _ direction: HCIDirection, at instant: StackInstant) {
    let way: CaptureDirection = direction == .toController ? .sent : .received
    let timestamp = CaptureTimestamp(instant, origin: origin)
    state.withLock { state in
      state.count += 1
      let packet = CapturedPacket(
        timestamp: timestamp, content: .hci(state.redaction.redacted(packet, way), way))
      if Self.isReport(packet) {
        state.reports.append(state.count, packet)
      } else {
        state.others.append(state.count, packet)
      }
    }
  }

  /// The number of the last packet; the first one has 1.
  public var count: UInt64 { state.withLock { $0.count } }

  /// The packets that are kept, with their numbers, in their order.
  /// - Parameter reports: whether reports of advertisements are among them.
  public func packets(reports: Bool = true) -> [(number: UInt64, packet: CapturedPacket)] {
    var (kept, others) = state.withLock { ($0.reports.packets, $0.others.packets) }
    guard reports else { return others.takeAll() }
    return (kept.takeAll() + others.takeAll()).sorted { $0.number < $1.number }
  }

  /// With what is kept beside the octets.
  private static func size(of packet: CapturedPacket) -> Int {
    if case .hci(let hci, _) = packet.content { hci.octetCount + 96 } else { 96 }
  }

  private static func isReport(_ packet: CapturedPacket) -> Bool {
    guard case .hci(let hci, .received) = packet.content, hci.kind == .event, hci.octets.count > 2 else { return false }
    let reports = [LEAdvertisingReportEvent.code, LEExtendedAdvertisingReportEvent.code]
    return hci.octets[0] == HCIEventCode.metaEvent && reports.contains(.lowEnergy(hci.octets[2]))
  }
}
