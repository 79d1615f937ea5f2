import BLECore
import BLEWire

/// Limits pairing attempts: after a failure a peer must wait, longer each time (Core, Vol 3 Part H 2.3.6).
///
/// A peer can change its address at no cost, so after too many failures there is a delay for all peers as well. Shared by all links
/// of an adapter; its memory is bounded.
public final class PairingAttempts {
  /// The delay after the first failure of an address; doubled by each further one.
  public static let firstDelay = StackDuration.seconds(1)
  public static let longestDelay = StackDuration.seconds(64)
  /// The number of failures, of any peers, above which all peers must wait.
  public static let overallAllowance = 5
  /// The time after which one failure is removed from that number.
  public static let overallForgiveness = StackDuration.seconds(60)
  /// How long the failures of an address count after the last one.
  public static let memory = StackDuration.seconds(600)
  /// The maximum number of stored addresses.
  public static let capacity = 256

  private struct Record {
    var failures = 0
    var lastFailure = StackInstant.zero
    var capability: SMPIOCapability?
    var lastSeen = StackInstant.zero
  }

  private var records: [DeviceAddress: Record] = [:]
  private var overallFailures = 0
  private var overallChange = StackInstant.zero
  private var lastFailure = StackInstant.zero

  public init() {}

  /// Returns how long this peer must still wait; `nil` if it need not.
  ///
  /// - Parameter peer: its identity if known, otherwise the address of the link.
  public func delay(of peer: DeviceAddress, at now: StackInstant) -> StackDuration? {
    forgive(at: now)
    var free = StackInstant.zero
    if let record = records[peer], record.failures > 0 {
      free = record.lastFailure + Self.delay(after: record.failures)
    }
    if overallFailures > Self.overallAllowance {
      free = max(free, lastFailure + Self.delay(after: overallFailures - Self.overallAllowance))
    }
    return free > now ? free - now : nil
  }

  /// Records a failed pairing with this peer.
  public func noteFailure(of peer: DeviceAddress, at now: StackInstant) {
    forgive(at: now)
    change(peer, at: now) {
      $0.failures += 1
      $0.lastFailure = now
    }
    if overallFailures == 0 { overallChange = now }
    overallFailures += 1
    lastFailure = now
  }

  /// Records a successful pairing: this peer need not wait. The delay for all peers is not reset, because an attacker could reset it
  /// with a device of its own.
  public func noteSuccess(of peer: DeviceAddress) {
    records[peer]?.failures = 0
  }

  /// Records the I/O capability of a peer. Returns its previous one if that was different.
  public func note(_ capability: SMPIOCapability, of peer: DeviceAddress, at now: StackInstant) -> SMPIOCapability? {
    let before = records[peer]?.capability
    change(peer, at: now) { $0.capability = capability }
    return before == capability ? nil : before
  }

  private static func delay(after failures: Int) -> StackDuration {
    let doublings = min(failures - 1, 6)
    return min(firstDelay * (1 << Int64(doublings)), longestDelay)
  }

  private func forgive(at now: StackInstant) {
    let steps = (now - overallChange) / Self.overallForgiveness
    guard steps > 0 else { return }
    overallFailures = max(0, overallFailures - Int(clamping: steps))
    overallChange = overallChange + Self.overallForgiveness * steps
  }

  private func change(_ peer: DeviceAddress, at now: StackInstant, _ body: (inout Record) -> Void) {
    if records[peer] == nil, records.count >= Self.capacity { makeRoom(at: now) }
    var record = records[peer] ?? Record()
    if record.failures > 0, now - record.lastFailure > Self.memory { record.failures = 0 }
    record.lastSeen = now
    body(&record)
    records[peer] = record
  }

  /// Removes the records not used for `memory`, or else the least recently used one. Called only when the table is full.
  private func makeRoom(at now: StackInstant) {
    records = records.filter { now - $0.value.lastSeen <= Self.memory }
    while records.count >= Self.capacity, let oldest = records.min(by: { $0.value.lastSeen < $1.value.lastSeen }) {
      records[oldest.key] = nil
    }
  }
}
