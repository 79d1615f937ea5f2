import BLECore
import BLEWire

/// Who may try to pair, and when: after a failure a peer waits, and longer each time (Core, Vol 3 Part H 2.3.6).
///
/// Addresses cost a peer nothing, so there is a delay for everybody as well once too much has failed. Shared by all links
/// of an adapter; the memory of it is bounded.
public final class PairingAttempts {
  /// After the first failure of an address; doubled by each further one.
  public static let firstDelay = StackDuration.seconds(1)
  public static let longestDelay = StackDuration.seconds(64)
  /// Failures of anybody before everybody waits.
  public static let overallAllowance = 5
  /// The time in which one failure of anybody is forgotten.
  public static let overallForgiveness = StackDuration.seconds(60)
  /// How long an address is remembered after its last failure.
  public static let memory = StackDuration.seconds(600)
  /// Addresses that are remembered.
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

  /// How long this peer has still to wait; `nil`: not at all.
  ///
  /// - Parameter peer: its identity where that is known, otherwise the address of the link.
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

  /// A pairing with this peer has come to nothing.
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

  /// A pairing with this peer has led to keys: it need not wait any more. What everybody waits for does not change by that,
  /// or a peer of the attacker's own would clear the way.
  public func noteSuccess(of peer: DeviceAddress) {
    records[peer]?.failures = 0
  }

  /// Notes what a peer says it can show and type; what it said before where that was something else.
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

  /// Forgets who was not seen for long, or else the one seen least recently: those are gone through only when the table is
  /// full.
  private func makeRoom(at now: StackInstant) {
    records = records.filter { now - $0.value.lastSeen <= Self.memory }
    while records.count >= Self.capacity, let oldest = records.min(by: { $0.value.lastSeen < $1.value.lastSeen }) {
      records[oldest.key] = nil
    }
  }
}
