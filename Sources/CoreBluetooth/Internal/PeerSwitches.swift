internal import BLEAdapter

/// What a peer switches to and fro.
enum PeerSwitch: Hashable {
  /// Whether a central is subscribed.
  case subscription(PeerIdentifier, LocalCharacteristicIdentifier)
  /// Whether there is a link.
  case link(PeerIdentifier)
}

/// What a program is still to be told of switches, while so much waits for it that there is no room for more events: of each the
/// state that it has now, and nothing where that is the one that the program was told last.
///
/// So a peer that switches on and off without end takes no room, nor do peers without end that come, switch on and leave.
struct PeerSwitches {
  /// Those that the program was told last that they are on.
  private var on: Set<PeerSwitch> = []
  private var waiting: [PeerSwitch: (order: UInt64, event: ManagerEvent)] = [:]
  private var nextOrder: UInt64 = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// The program is told of it as it happens.
  mutating func told(_ key: PeerSwitch, isOn: Bool) {
    if isOn { on.insert(key) } else { on.remove(key) }
  }

  /// There is no room to tell the program.
  mutating func hold(_ event: ManagerEvent, _ key: PeerSwitch, isOn: Bool) {
    if on.contains(key) == isOn {
      waiting[key] = nil
    } else {
      waiting[key] = (nextOrder, event)
      nextOrder += 1
    }
  }

  /// There is room again: what is to be told, in the order in which it happened.
  mutating func takeAll() -> [ManagerEvent] {
    let events = waiting.values.sorted { $0.order < $1.order }.map(\.event)
    on.formSymmetricDifference(waiting.keys)
    waiting = [:]
    return events
  }

  /// Bluetooth is not there any more, and nothing is switched on.
  mutating func removeAll() { self = PeerSwitches() }
}
