import BLESession

/// Decides, with the keepers of the other gateways, which gateway keeps which device. It does no input or output: messages, advertisements and
/// time come in as calls, and what has to be done is taken out as `LeaseAction`s.
///
/// The broker keeps one retained `Lease` for each device. Nothing is voted on: of all leases of a device that a keeper has received, the
/// greatest by (epoch, holder, revision) counts, so that all that have received the same agree, whatever the order in which it arrived. The
/// author of the greatest publishes it again where a lesser one, or something else, has overwritten it; if the author is gone, another does. A keeper that sees a greater lease
/// than its own lets go of the device. So two holders at once, however they came about, end with one as soon as both are on one broker.
///
/// A lease expires `Lease.expires` after its receiver has last heard of the holder, by the receiver's own clock, which only has to
/// run evenly: no message has a time of day in it. A gateway renews all of its leases by one pulse a second, which makes the number of
/// messages independent of that of devices. Pulses count upwards: one that is late renews nothing. The time for which the receiver itself
/// had no broker, or did not run, does not count as silence of the others.
///
/// The part of a gateway in a device's lease:
///
/// | part | what it does | leads to |
/// |---|---|---|
/// | watching | listens to the device's topic; if the device is free and audible, waits the shorter the stronger it is, and claims the next epoch | claiming |
/// | claiming | waits until its claim has come back from the broker | settling; watching, if there is a greater lease |
/// | settling | waits whether there is a greater claim | opening; watching |
/// | opening | connects and subscribes to what the last holder had subscribed to | held, and announced; watching, released, if that fails |
/// | held | takes values, each with a `ValueStamp`; publishes its strength | draining, if a gateway that hears the device better by the hysteresis offers to take it over; watching, if there is a greater lease, or the device is lost |
/// | draining | ends the link, and sends the values that it has | watching, released to the successor, which claims the next epoch at once |
///
/// An object of this class is used on one queue.
public final class LeaseKeeper {
  /// This gateway, and this process of it.
  public let identity: GatewayInstance
  /// The times and limits.
  public let rules: LeaseRules

  var devices: [String: LeaseEntry] = [:]
  /// The same in a fixed order: a run with the same inputs has the same outputs.
  var order: [LeaseEntry] = []
  var actions: [LeaseAction] = []
  var peers = PulseTable()
  /// How many entries have a lease of a gateway, by its name: so long its pulses are listened to.
  var listened: [String: Int] = [:]
  /// The number of devices that are open, or claimed.
  var engagedCount = 0
  var isConnected = false
  var hasEnded = false
  var isCrowded = false
  /// The greatest epoch of a device that was forgotten: what is claimed without any knowledge begins behind it, so that no stamp is used twice.
  var forgottenEpoch = 0
  /// Since when this keeper has been listening without interruption.
  var attentiveSince = Duration.zero
  var advancedAt: Duration?
  var pulseAt = Duration.zero
  var own = OwnPulses()
  var rival: PulseTable.Peer?
  /// Whether another gateway runs under the same name, and this one waits until it is silent.
  public internal(set) var isYielding = false

  private var queue = DueQueue()

  /// When `advance(to:)` has to be called next; `nil`: not before something else is called.
  public var wake: Duration? {
    if hasEnded { return nil }
    let pulse = isConnected ? pulseAt : advancedAt.map { $0 + rules.pulse }
    return queue.first.map { min($0, pulse ?? $0) } ?? pulse
  }

  /// A keeper without a connection to the broker.
  public init(_ identity: GatewayInstance, rules: LeaseRules = LeaseRules()) {
    self.identity = identity
    self.rules = rules
  }

  /// What has to be done, in order; it is handed out once. To be called after each other call.
  public func takeActions() -> [LeaseAction] {
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  /// The devices that are open, in no particular order.
  public var held: [String] { order.filter { $0.role == .held }.map(\.device) }

  /// The epoch under which this gateway has the device open, or opens it; `nil` if it does not.
  public func epoch(of device: String) -> Int? {
    guard let entry = devices[device], entry.isActive else { return nil }
    return entry.known?.epoch
  }

  /// The greatest lease of a device that has been received; `nil` if there is none.
  public func lease(of device: String) -> Lease? { devices[device]?.known }

  /// The number of a value that the device has just sent. `nil`: the gateway does not hold the device, and the value is not to be published.
  public func stamp(_ device: String) -> ValueStamp? {
    guard let entry = devices[device], entry.isActive, let known = entry.known else { return nil }
    entry.sequence += 1
    return ValueStamp(epoch: known.epoch, holder: identity, sequence: entry.sequence)
  }

  /// The clock has reached `now`: to be called at `wake`.
  public func advance(to now: Duration) {
    guard !hasEnded else { return }
    attend(now)
    endYieldingIfSilent(now)
    if isConnected, now >= pulseAt { sendPulse(now) }
    while let entry = queue.next(at: now) {
      if devices[entry.device] === entry { review(entry, now) }
    }
  }

  /// Notes that this process runs: where it has not for a while, what others have said meanwhile may be on its way, and is waited for.
  func attend(_ now: Duration) {
    if let advancedAt, now - advancedAt > rules.pulse * 3 { attentiveSince = now }
    advancedAt = now
  }

  /// Looks at all devices.
  func reviewAll(_ now: Duration) {
    for entry in order { review(entry, now) }
  }

  func enter(_ entry: LeaseEntry, _ role: LeaseEntry.Role, _ now: Duration) {
    engagedCount += (role == .watching ? 0 : 1) - (entry.role == .watching ? 0 : 1)
    entry.enter(role, at: now)
  }

  /// Does what is due for a device, and notes when it has to be looked at again.
  func review(_ entry: LeaseEntry, _ now: Duration) {
    switch entry.role {
    case .watching: watch(entry, now)
    case .claiming:
      if now >= entry.since + rules.claim { enter(entry, .watching, now) }
    case .settling:
      if now >= entry.since + rules.settle { open(entry, now) }
    case .opening:
      if now >= entry.since + rules.opening {
        close(entry, .failed)
        fail(entry, now)
      } else {
        hold(entry, now)
      }
    case .held: hold(entry, now)
    case .draining:
      if now >= entry.since + rules.draining { finishDraining(entry, now) }
    }
    guard devices[entry.device] === entry else { return }
    repair(entry, now)
    entry.due = nextLook(at: entry, now)
    queue.add(entry)
  }
}
