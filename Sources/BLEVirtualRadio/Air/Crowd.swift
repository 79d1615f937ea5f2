import BLECore

/// A crowd of advertisers on an air that are no devices: each is a position, a payload and an interval, without a host and without
/// a controller. They rotate their addresses as phones do, answer scan requests, and never answer a connection request.
///
/// Made by ``Air/makeCrowd(_:around:reach:)``. All methods on the loop.
public final class Crowd {
  /// The maximum number of advertisers in one crowd.
  public static let limit = 100_000

  private weak var air: Air?
  private var members: [CrowdAdvertiser] = []
  /// The number of advertising events so far.
  public internal(set) var eventCount = 0
  /// How often one of these events was looked at by a listener in range.
  public internal(set) var hearingCount = 0

  init(on air: Air, number: Int, count: Int, around center: Position, reach: Double) {
    self.air = air
    let chance = SeededEntropy(seed: air.seed).fork(0x63_726F_7764).fork(UInt64(number))
    members = (0..<count).map {
      CrowdAdvertiser(CrowdMember(chance.fork(UInt64($0)), around: center, reach: reach), in: self, on: air)
    }
    for member in members { member.begin() }
  }

  /// Throws what of the arguments of ``Air/makeCrowd(_:around:reach:)`` is out of its limits.
  package static func check(_ count: Int, around center: Position, reach: Double) throws(AirDescriptionError) {
    guard (0...limit).contains(count) else {
      throw AirDescriptionError("crowd", found: "\(count) advertisers", expected: "0 to \(limit)")
    }
    guard reach >= 0, reach <= 1e6 else {
      throw AirDescriptionError("crowd", found: "a reach of \(reach) m", expected: "0 to 1e6 m")
    }
    try center.check("crowd")
  }

  /// The number of its advertisers.
  public var count: Int { members.count }
  /// The mean number of advertising events in a second, of all together.
  public var eventRate: Double { members.reduce(0) { $0 + $1.eventRate } }

  func count(in load: AdvertisingLoad?) {
    for member in members { load?.insert(member) }
  }

  /// The crowd falls silent, for good.
  public func leave() {
    for member in members { member.stop() }
    members = []
    air?.crowdLeft(self)
  }
}

extension Air {
  /// Adds a crowd of advertisers in a square of `2 · reach` metres. From then on advertisements on this air collide: packets that
  /// overlap on a channel are lost, also those of other advertisers.
  public func makeCrowd(
    _ count: Int, around center: Position = .origin, reach: Double = 15
  ) throws(AirDescriptionError) -> Crowd {
    try Crowd.check(count, around: center, reach: reach)
    collides = true
    crowdCount += 1
    let crowd = Crowd(on: self, number: crowdCount, count: count, around: center, reach: reach)
    crowds.append(crowd)
    return crowd
  }
}
