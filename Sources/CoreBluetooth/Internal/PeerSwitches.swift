internal import BLEAdapter

/// Something that a peer switches on and off.
enum PeerSwitch: Hashable {
  /// Whether a central is subscribed.
  case subscription(PeerIdentifier, LocalCharacteristicIdentifier)
  /// Whether there is a link.
  case link(PeerIdentifier)
}

/// The changes that were not delivered because too many events wait: for each switch the current state, and nothing if that is
/// the state delivered last.
///
/// So a peer that switches on and off without end takes no room, and neither does an endless sequence of peers that connect,
/// switch on and leave.
struct PeerSwitches {
  /// Switches whose last delivered state is on.
  private var on: Set<PeerSwitch> = []
  private var waiting: [PeerSwitch: (order: UInt64, event: ManagerEvent)] = [:]
  private var nextOrder: UInt64 = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// The change is delivered immediately.
  mutating func told(_ key: PeerSwitch, isOn: Bool) {
    if isOn { on.insert(key) } else { on.remove(key) }
  }

  /// There is no room to deliver the change.
  mutating func hold(_ event: ManagerEvent, _ key: PeerSwitch, isOn: Bool) {
    if on.contains(key) == isOn {
      waiting[key] = nil
    } else {
      waiting[key] = (nextOrder, event)
      nextOrder += 1
    }
  }

  /// There is room again: the undelivered changes, in the order in which they happened.
  mutating func takeAll() -> [ManagerEvent] {
    let events = waiting.values.sorted { $0.order < $1.order }.map(\.event)
    on.formSymmetricDifference(waiting.keys)
    waiting = [:]
    return events
  }

  /// Bluetooth is no longer available, and nothing is switched on.
  mutating func removeAll() { self = PeerSwitches() }
}
