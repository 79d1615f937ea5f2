import BLECore
import BLEWire

/// The time of one radio, for all activities of a device: links in both roles, advertising, scanning, initiating, of all controllers
/// of the device. While one of them is on the air no other is.
///
/// What is on the air is never broken off. Of two that would begin at the same time the one goes first that was passed over more
/// often; a link near its supervision time-out goes before everything, and an advertiser that was passed over several times before
/// links, as in Nordic's SoftDevice (its specification, *SoftDevice timing-activities and priorities*). Listening comes last.
final class RadioTime {
  private struct Span {
    var start: StackInstant
    var end: StackInstant
    let owner: ObjectIdentifier
  }

  private var nodes: [AirNode] = []
  /// What was or is on the air.
  private var taken: [Span] = []
  /// What advertisers will take that have waited for long.
  private var claims: [Span] = []

  /// How far back it is known what was on the air: longer than an advertising event, which is looked at when it is over.
  private static let memory = StackDuration.milliseconds(100)
  /// An empty exchange of a link: two packets and the space between them.
  private static let idleEvent = AirTime.packet(0, .le1M) * 2 + AirTime.interFrameSpace
  /// How long one of several listeners on different channels has the radio.
  private static let listeningTurn = StackDuration.milliseconds(30)

  // MARK: Members

  func join(_ node: AirNode) {
    nodes.append(node)
    linksChanged()
  }

  func leave(_ node: AirNode) { nodes.removeAll { $0 === node } }

  private var links: [Connection] { nodes.flatMap(\.links.all) }

  var linkCount: Int { nodes.reduce(0) { $0 + $1.links.all.count } }

  /// Whether links wait for each other, so that none can rest.
  var isContended: Bool { linkCount > 1 }

  /// A link was added: those that rest have to take their turns.
  func linksChanged() {
    guard isContended else { return }
    for link in links { link.endRest() }
  }

  // MARK: Spans

  func take(from start: StackInstant, to end: StackInstant, by owner: AnyObject, now: StackInstant) {
    taken.removeAll { $0.end + Self.memory < now }
    let owner = ObjectIdentifier(owner)
    if let last = taken.indices.last, taken[last].owner == owner, taken[last].end == start {
      taken[last].end = end
    } else {
      taken.append(Span(start: start, end: end, owner: owner))
    }
  }

  /// When the last of the others is over that were or are on the air in this span; `nil` if none was.
  func conflict(from start: StackInstant, to end: StackInstant, with owner: AnyObject) -> StackInstant? {
    let owner = ObjectIdentifier(owner)
    var last: StackInstant?
    for span in taken where span.owner != owner && span.start < end && span.end > start {
      last = max(last ?? span.end, span.end)
    }
    // The events of a link at rest are not simulated; they are at its anchors all the same.
    for link in links where link.isParked && ObjectIdentifier(link) != owner {
      let interval = link.timing.intervalDuration
      let events = (end - link.anchor - .nanoseconds(1)) / interval
      let busy = link.anchor + interval * events + Self.idleEvent
      if end > link.anchor, busy > start { last = max(last ?? busy, busy) }
    }
    return last
  }

  // MARK: Links

  /// When `link` has to leave the radio to others; `nil` for never.
  func bound(of link: Connection, from start: StackInstant) -> StackInstant? {
    let rank = link.turnRank
    var bound: StackInstant?
    for claim in claims where claim.end > start && rank < Connection.urgentRank {
      bound = min(bound ?? claim.start, claim.start)
    }
    for other in links where other !== link {
      guard let next = other.nextEvent, next >= start, other.turnRank > rank else { continue }
      bound = min(bound ?? next, next)
    }
    return bound
  }

  /// Whether `link` can have the radio for at least `duration`.
  func admits(_ link: Connection, at start: StackInstant, for duration: StackDuration) -> Bool {
    if conflict(from: start, to: start + duration, with: link) != nil { return false }
    return bound(of: link, from: start).map { $0 >= start + duration } ?? true
  }

  // MARK: Advertisers

  func claim(from start: StackInstant, to end: StackInstant, by owner: AnyObject) {
    release(owner)
    claims.append(Span(start: start, end: end, owner: ObjectIdentifier(owner)))
  }

  func release(_ owner: AnyObject) { claims.removeAll { $0.owner == ObjectIdentifier(owner) } }

  // MARK: Listeners

  /// Whether `listener` had the radio in this span, on this channel.
  func heard(_ listener: any AdvertisingListener, on channel: UInt8, from start: StackInstant, to end: StackInstant)
    -> Bool
  {
    if conflict(from: start, to: end, with: listener) != nil { return false }
    let tuned = nodes.flatMap(\.listeners).compactMap { other in other.channel(at: start).map { (other, $0) } }
    guard tuned.contains(where: { $0.1 != channel }) else { return true }
    let turn = tuned[Int((start - StackInstant.zero) / Self.listeningTurn % Int64(tuned.count))]
    return turn.0 === listener || turn.1 == channel
  }
}

extension AirNode {
  /// Whether a listener of this node had the radio in this span.
  func isFree(for listener: any AdvertisingListener, on channel: UInt8, from start: StackInstant, to end: StackInstant)
    -> Bool
  {
    radioTime?.heard(listener, on: channel, from: start, to: end) ?? true
  }
}
