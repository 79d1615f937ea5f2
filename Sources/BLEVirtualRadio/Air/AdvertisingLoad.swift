import BLECore

/// A sender of advertisements that counts as load for others.
protocol AdvertisingLoadSource: AnyObject {
  var station: Station { get }
  /// The mean number of its events in a second; each is a packet on each of its primary channels.
  var eventRate: Double { get }
  /// How long one of its packets on a primary channel is.
  var packetDuration: StackDuration { get }
}

/// The load of the advertising channels, and the loss by packets that overlap.
///
/// Senders do not listen before they send, as in Aloha: a packet is lost if another that is not much weaker at the receiver begins
/// so near to it that they overlap (Abramson 1970). The packets of the others are not looked at one by one: their rate gives the
/// probability. Senders are kept by place, and each receiver sums up those in its range once a second.
final class AdvertisingLoad {
  /// A packet survives another that is weaker by this much, in dB.
  static let capture = 12.0
  private static let profileAge = StackDuration.seconds(1)

  private struct Cell: Hashable {
    var x: Int32
    var y: Int32
  }

  private struct Member {
    let source: any AdvertisingLoadSource
    var cell: Cell
  }

  private let edge: Double?
  private var members: [ObjectIdentifier: Member] = [:]
  private var cells: [Cell: [any AdvertisingLoadSource]] = [:]
  private var profiles: [Int: AdvertisingLoadProfile] = [:]

  init(range: Double?) {
    edge = range.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }

  func insert(_ source: any AdvertisingLoadSource) {
    let cell = cell(of: source.station.position)
    guard members.updateValue(Member(source: source, cell: cell), forKey: ObjectIdentifier(source)) == nil else {
      return
    }
    cells[cell, default: []].append(source)
  }

  func remove(_ source: any AdvertisingLoadSource) {
    guard let member = members.removeValue(forKey: ObjectIdentifier(source)) else { return }
    cells[member.cell]?.removeAll { $0 === source }
    if cells[member.cell]?.isEmpty == true { cells[member.cell] = nil }
  }

  /// The sender has moved.
  func refresh(_ source: any AdvertisingLoadSource) {
    guard let member = members[ObjectIdentifier(source)], member.cell != cell(of: source.station.position) else {
      return
    }
    remove(source)
    insert(source)
  }

  func forget(node: Int) { profiles[node] = nil }

  /// The probability that a packet of `sender` is not lost to another at this receiver.
  func survival(
    of sender: any AdvertisingSource, lasting duration: StackDuration, level: Double, at node: AirNode
  ) -> Double {
    let air = node.air
    let now = air.loop.now
    if profiles[node.number].map({ now - $0.made >= Self.profileAge }) ?? true {
      profiles[node.number] = makeProfile(for: node, at: now)
    }
    guard let profile = profiles[node.number] else { return 1 }
    return profile.survival(
      lasting: duration.seconds, level: level, without: sender as? any AdvertisingLoadSource)
  }

  private func makeProfile(for node: AirNode, at now: StackInstant) -> AdvertisingLoadProfile {
    var heard: [AdvertisingLoadProfile.Entry] = []
    let center = cell(of: node.station.position)
    for x in -1...1 as ClosedRange<Int32> {
      for y in -1...1 as ClosedRange<Int32> {
        if edge == nil, x != 0 || y != 0 { continue }
        for source in cells[Cell(x: center.x &+ x, y: center.y &+ y)] ?? [] {
          let path = node.air.path(from: source.station, to: node.station)
          guard !path.isBlocked, source.station.identity != node.station.identity else { continue }
          heard.append(
            .init(level: path.level, rate: source.eventRate, duration: source.packetDuration.seconds))
        }
      }
    }
    return AdvertisingLoadProfile(made: now, heard)
  }

  private func cell(of position: Position) -> Cell {
    guard let edge, position.isFinite else { return Cell(x: 0, y: 0) }
    func index(_ value: Double) -> Int32 { Int32(max(-1e9, min(1e9, (value / edge).rounded(.down)))) }
    return Cell(x: index(position.x), y: index(position.y))
  }
}

/// What one receiver hears of the senders around it, the strongest first.
struct AdvertisingLoadProfile {
  struct Entry {
    let level: Double
    let rate: Double
    /// In seconds.
    let duration: Double
  }

  let made: StackInstant
  private let levels: [Double]
  /// Sums over all senders up to one: packets in a second on a channel, and the share of the time that they take.
  private var rates: [Double] = []
  private var shares: [Double] = []

  init(made: StackInstant, _ entries: [Entry]) {
    self.made = made
    let sorted = entries.sorted { $0.level > $1.level }
    levels = sorted.map(\.level)
    var (rate, share) = (0.0, 0.0)
    for entry in sorted {
      rate += entry.rate
      share += entry.rate * entry.duration
      rates.append(rate)
      shares.append(share)
    }
  }

  func survival(lasting duration: Double, level: Double, without own: (any AdvertisingLoadSource)?) -> Double {
    // The first sender that is too weak to matter.
    var (low, high) = (0, levels.count)
    while low < high {
      let middle = (low + high) / 2
      if levels[middle] > level - AdvertisingLoad.capture { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 1 }
    var overlaps = duration * rates[low - 1] + shares[low - 1]
    if let own { overlaps -= own.eventRate * (duration + own.packetDuration.seconds) }
    // The exponential function of the number of packets that overlap, made of products alone.
    return overlaps > 0 ? max(0, 1 - overlaps / 1_024).power(1_024) : 1
  }
}
