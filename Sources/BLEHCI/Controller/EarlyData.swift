import BLECore
import BLEWire

/// Data that arrives before its connection is complete: controllers on USB send data and events by different endpoints, between which
/// there is no order. It is held for a moment, for the link that comes.
///
/// Not for a handle whose link has just ended: a late frame of that link is never passed to the next one.
struct EarlyData {
  /// More packets are not held.
  private static let limit = 8
  /// How long a packet is held, and how long an ended link is remembered.
  private static let patience = StackDuration.milliseconds(500)

  private var held: [(packet: HCIACLPacket, instant: StackInstant)] = []
  private var ended: [(handle: ConnectionHandle, instant: StackInstant)] = []

  /// A packet for which there is no link.
  mutating func hold(_ packet: HCIACLPacket, at now: StackInstant) {
    forget(at: now)
    guard held.count < Self.limit, !ended.contains(where: { $0.handle == packet.connectionHandle }) else { return }
    held.append((packet, now))
  }

  /// The packets that are held for a new link, in their order.
  mutating func take(for handle: ConnectionHandle, at now: StackInstant) -> [HCIACLPacket] {
    guard !held.isEmpty else { return [] }
    forget(at: now)
    defer { held.removeAll { $0.packet.connectionHandle == handle } }
    return held.filter { $0.packet.connectionHandle == handle }.map(\.packet)
  }

  mutating func linkEnded(_ handle: ConnectionHandle, at now: StackInstant) {
    forget(at: now)
    held.removeAll { $0.packet.connectionHandle == handle }
    ended.append((handle, now))
  }

  private mutating func forget(at now: StackInstant) {
    held.removeAll { now - $0.instant > Self.patience }
    ended.removeAll { now - $0.instant > Self.patience }
  }
}
