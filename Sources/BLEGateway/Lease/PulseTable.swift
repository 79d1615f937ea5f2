import BLESession

/// What is known of the instances whose pulses are listened to. Bounded.
struct PulseTable {
  struct Peer {
    let sender: GatewayInstance
    /// The greatest number that was received.
    var number: Int
    /// When.
    var heardAt: Duration
    /// When its leases end, since it has said that it ends, or the broker has.
    var endsAt: Duration?
    /// Whether it was reported that it has the name of this gateway.
    var isReported = false

    init(sender: GatewayInstance, number: Int, heardAt: Duration) {
      self.sender = sender
      self.number = number
      self.heardAt = heardAt
    }
  }

  private var peers: [GatewayInstance: Peer] = [:]
  private static let most = 4_096

  subscript(_ sender: GatewayInstance) -> Peer? { peers[sender] }

  var count: Int { peers.count }

  /// A greater lease of its holder was received after the end was announced.
  mutating func revive(_ sender: GatewayInstance) { peers[sender]?.endsAt = nil }

  /// Returns whether the sender was not heard of for so long that its leases may have been taken over.
  mutating func take(_ pulse: GatewayPulse, at now: Duration, _ rules: LeaseRules) -> Bool {
    guard var peer = peers[pulse.sender] else {
      if peers.count >= Self.most {
        peers = peers.filter { now - $0.value.heardAt <= rules.expires * 4 }
        guard peers.count < Self.most else { return false }
      }
      var peer = Peer(sender: pulse.sender, number: pulse.number, heardAt: now)
      if pulse.isEnd { peer.endsAt = now + rules.grace }
      peers[pulse.sender] = peer
      return !pulse.isEnd
    }
    if pulse.isEnd {
      peer.endsAt = min(peer.endsAt ?? now + rules.grace, now + rules.grace)
      peers[pulse.sender] = peer
      return false
    }
    // A pulse that is late or repeated renews nothing.
    guard pulse.number > peer.number else { return false }
    let wasSilent = now - peer.heardAt >= rules.expires || (peer.endsAt.map { now >= $0 } ?? false)
    peer.number = pulse.number
    peer.heardAt = now
    peer.endsAt = nil
    peers[pulse.sender] = peer
    return wasSilent
  }
}

/// The own pulses, which come back from the broker: as long as they do, others hear them too.
struct OwnPulses {
  private var number = 0
  private var sent: [(number: Int, at: Duration)] = []
  /// When the last pulse was sent that has come back.
  private(set) var heardAt = Duration.zero

  mutating func next(at now: Duration) -> Int {
    number += 1
    if sent.count >= 64 { sent.removeFirst() }
    sent.append((number, now))
    return number
  }

  mutating func cameBack(_ number: Int) {
    guard let index = sent.firstIndex(where: { $0.number == number }) else { return }
    heardAt = max(heardAt, sent[index].at)
    sent.removeSubrange(...index)
  }

  /// The connection has just been made: nothing has been missed yet.
  mutating func isHeard(at now: Duration) { heardAt = now }
}
