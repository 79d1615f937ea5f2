import BLECore
import BLEWire

/// One advertiser of a crowd: one timer for each event, and none while no radio listens.
final class CrowdAdvertiser: AdvertisingSource, AdvertisingLoadSource, RestingAdvertiser, TimerTarget {
  private let member: CrowdMember
  private unowned let crowd: Crowd
  private unowned let air: Air
  let station: Station
  private var offer: AdvertisingOffer?
  private var timer = TimerToken()
  private var restNumber: Int?
  private var start = StackInstant.zero
  private var isRunning = false
  /// The number of the address that is used now.
  private var addressTurn: Int64?
  private let addressPhase: StackDuration

  init(_ member: CrowdMember, in crowd: Crowd, on air: Air) {
    self.member = member
    self.crowd = crowd
    self.air = air
    station = Station(
      identity: member.chance.seed, position: member.position, transmitPower: member.transmitPower)
    addressPhase = .nanoseconds(
      Int64(member.chance.uniform(0..<UInt64(max(1, member.addressLifetime?.nanoseconds ?? 1)))))
  }

  var eventRate: Double { 1 / (member.interval + .milliseconds(5)).seconds }
  var packetDuration: StackDuration { AirTime.packet(6 + member.data.count, .le1M) }

  func begin() {
    isRunning = true
    air.loadStarted(self)
    resume()
  }

  /// Its crowd takes it out of the load, together with the others.
  func stop() {
    isRunning = false
    if let restNumber { air.endRest(restNumber) }
    air.loop.cancel(timer)
  }

  /// It begins at a random point of its interval.
  func resume() {
    restNumber = nil
    guard isRunning else { return }
    schedule(after: .nanoseconds(Int64(member.chance.uniform(0..<UInt64(member.interval.nanoseconds)))))
  }

  func timerFired(tag: Int) {
    guard isRunning, let offer else { return }
    crowd.eventCount += 1
    if air.hasTap, let tap = air.tap { offer.report(to: tap, on: air, start: start) }
    for listener in air.listeners.candidates(near: station.position) {
      crowd.hearingCount += 1
      listener.hear(offer, start: start)
      guard isRunning else { return }
    }
    let delay = StackDuration.nanoseconds(Int64(member.chance.uniform(0..<10_000_000)))
    schedule(after: max(.zero, member.interval + delay - (air.loop.now - start)))
  }

  private func schedule(after delay: StackDuration) {
    guard air.hasLocalListeners else {
      restNumber = air.rest(self)
      return
    }
    start = air.loop.now + delay
    renewAddress(at: start)
    guard let offer else { return }
    timer = air.loop.schedule(at: start + offer.duration, .background, self, tag: 0)
  }

  private func renewAddress(at time: StackInstant) {
    var turn: Int64 = 0
    if let lifetime = member.addressLifetime { turn = ((time - StackInstant.zero) + addressPhase) / lifetime }
    guard turn != addressTurn else { return }
    addressTurn = turn
    // The two highest bits tell a resolvable private address from a static one (Core, Vol 6 Part B 1.3.2).
    let random = member.chance.fork(UInt64(bitPattern: turn) &+ 1).next() & 0x3FFF_FFFF_FFFF
    let kind: UInt64 = member.addressLifetime == nil ? 0b11 : 0b01
    offer = AdvertisingOffer(
      source: self, advertiser: DeviceAddress(random | kind << 46, kind: .random), target: nil,
      isConnectable: member.isConnectable, isScannable: member.isScannable, channels: .all, primaryPHY: .le1M,
      secondary: nil, transmitPower: 127, data: member.data, scanData: member.scanData)
  }

  // MARK: Calls of listeners

  func path(to node: AirNode) -> AirPath { node.isSilent ? .blocked : air.path(from: station, to: node.station) }
  func path(from node: AirNode) -> AirPath { node.isSilent ? .blocked : air.path(from: node.station, to: station) }
  func answersScanRequest(from scanner: DeviceAddress) -> Bool { true }

  func connect(
    _ indication: ConnectIndication, by initiator: Initiator, created: StackInstant, arrives: Bool
  ) -> ConnectAnswer { .sent(.none) }
}

/// An advertiser that waits until a radio listens.
protocol RestingAdvertiser: AnyObject {
  func resume()
}
