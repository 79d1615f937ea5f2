import BLECore
import BLEWire

/// A link's part of the time of its radio, where the activities of a device share it.
extension Connection {
  /// The rank of a link that is near its supervision time-out.
  static let urgentRank = 1_000_000

  private var radioTime: RadioTime? { controller.node.radioTime }

  /// How much this link needs its next event: the number of events that it was passed over for others.
  var turnRank: Int {
    let left = lastHeard + timing.timeoutDuration - loop.now
    let isNear = isEstablished && left <= max(timing.intervalDuration * 2, timing.timeoutDuration / 4)
    return isNear ? Self.urgentRank : missedTurns
  }

  /// The next event that this end has to take part in; `nil` while one is under way, or if it is not known.
  var nextEvent: StackInstant? {
    switch (role, peer) {
    case (.central, .local): isOpen && !isParked && !isEventOpen ? anchor : nil
    case (_, .local(let central)): isOpen && !central.isParked && !central.isEventOpen ? central.anchor : nil
    default: nil
    }
  }

  /// Whether other links on one of the two radios make it impossible to compute the events instead of playing them.
  var isContended: Bool { radioTime?.isContended ?? false }

  /// How many links have to take turns on the radio of this end.
  var linksInTurn: Int { max(1, radioTime?.linkCount ?? 1) }

  /// Takes the turn at `start`; false if the radio is with another activity, which counts as passed over.
  func takesTurn(at start: StackInstant) -> Bool {
    guard let radioTime else { return true }
    let least = AirTime.packet(nextPayloadCount, transmitPHY) + AirTime.interFrameSpace + AirTime.packet(0, receivePHY)
    guard radioTime.admits(self, at: start, for: least) else {
      missedTurns += 1
      return false
    }
    return true
  }

  /// When the current event has to end for other activities of one of the two devices.
  func turnEnd(with other: Connection) -> StackInstant? {
    // Nearly all worlds share no time: they pay for two comparisons.
    if radioTime == nil, other.radioTime == nil { return nil }
    return [self, other].compactMap { $0.radioTime?.bound(of: $0, from: cursor) }.min()
  }

  /// Whether the radios of both ends are free for the event to go on at `cursor`.
  func keepsTurn(with other: Connection) -> Bool {
    if radioTime == nil, other.radioTime == nil { return true }
    return [self, other].allSatisfy {
      $0.radioTime?.conflict(from: cursor, to: cursor + .microseconds(1), with: $0) == nil
    }
  }

  /// What was played from `start` to `cursor` was on the air.
  func noteTurn(from start: StackInstant, with other: Connection? = nil) {
    if radioTime == nil, other?.radioTime == nil { return }
    for end in [self, other].compactMap({ $0 }) {
      end.radioTime?.take(from: start, to: cursor, by: end, now: loop.now)
      if other != nil { end.missedTurns = 0 }
    }
  }

  /// Events that were computed are played again.
  func endRest() {
    guard isOpen else { return }
    if isCentral {
      unpark()
    } else if case .local(let central) = peer {
      central.unpark()
    }
  }
}
