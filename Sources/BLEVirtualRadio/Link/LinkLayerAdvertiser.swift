import BLECore
import BLEWire

/// One enabled advertising set: an event at each interval plus a random 0 to 10 ms (Core, Vol 6 Part B 4.4.2).
///
/// An event is processed when it has ended: one timer for all its channels, and the receivers are computed then. While no radio
/// on the air listens there are no timers.
final class LinkLayerAdvertiser: TimerTarget, AdvertisingSource, AdvertisingLoadSource, RestingAdvertiser {
  private enum Timer: Int { case event, duration }

  let controller: VirtualController
  let set: AdvertisingSet
  private(set) var address: DeviceAddress
  private var offer: AdvertisingOffer?
  private var eventTimer = TimerToken()
  private var durationTimer = TimerToken()
  private(set) var isRunning = true
  private var completedEvents = 0
  /// How often in a row its event was put off because the radio was with another activity.
  private var missedTurns = 0
  private let maximumEvents: Int
  /// Its number among the resting advertisers, while it rests.
  private var restNumber: Int?
  /// The start of the event whose end is awaited.
  private var start = StackInstant.zero

  /// `duration` zero and `maximumEvents` zero set no limit.
  init(
    controller: VirtualController, set: AdvertisingSet, address: DeviceAddress, duration: StackDuration,
    maximumEvents: Int
  ) {
    self.controller = controller
    self.set = set
    self.address = address
    self.maximumEvents = maximumEvents
    if duration > .zero {
      durationTimer = controller.loop.schedule(
        after: duration, .background, self, tag: Timer.duration.rawValue)
    }
    contentChanged()
    controller.air.loadStarted(self)
    schedule(after: randomDelay)
  }

  var node: AirNode { controller.node }
  var station: Station { node.station }
  var eventRate: Double { 1 / (interval + .milliseconds(self.set.parameters.isHighDuty ? 0 : 5)).seconds }
  var packetDuration: StackDuration { offer?.primaryDuration ?? .zero }

  /// The host has changed the data of the set.
  func contentChanged() {
    offer = self.set.makeOffer(
      source: self, address: address, target: controller.advertisingTarget(self.set), transmitPower: node.transmitPower)
  }

  /// A private address is used for a limited time.
  private func renewAddress() {
    guard self.set.parameters.ownAddressType.isPrivate else { return }
    let fresh = controller.advertisingAddress(self.set)
    if fresh == address, offer?.target == controller.advertisingTarget(self.set) { return }
    address = fresh
    contentChanged()
  }

  func stop() {
    isRunning = false
    controller.air.loadEnded(self)
    node.radioTime?.release(self)
    if let restNumber { controller.air.endRest(restNumber) }
    controller.loop.cancel(eventTimer)
    controller.loop.cancel(durationTimer)
  }

  /// There is a listener again: the advertiser continues, at a random point of its interval.
  func resume() {
    restNumber = nil
    guard isRunning else { return }
    let span = UInt64(max(1, interval.nanoseconds))
    schedule(after: .nanoseconds(Int64(node.chance.uniform(0..<span))) + randomDelay)
  }

  func timerFired(tag: Int) {
    guard isRunning else { return }
    switch Timer(rawValue: tag) {
    case .event: finishEvent()
    case .duration: controller.advertisingEnded(set, reason: .advertisingTimeout, completedEvents: completedEvents)
    case nil: break
    }
  }

  private var interval: StackDuration {
    self.set.parameters.isHighDuty ? .microseconds(3_750) : self.set.parameters.interval
  }

  /// advDelay; zero at a high duty cycle.
  private var randomDelay: StackDuration {
    self.set.parameters.isHighDuty ? .zero : .nanoseconds(Int64(node.chance.uniform(0..<10_000_000)))
  }

  private func schedule(after delay: StackDuration) {
    renewAddress()
    guard let offer else { return }
    if !controller.air.hasListeners, maximumEvents == 0 {
      restNumber = controller.air.rest(self)
      return
    }
    start = controller.loop.now + delay
    eventTimer = controller.loop.schedule(
      at: start + offer.duration, .background, self, tag: Timer.event.rawValue)
  }

  /// It was passed over this often before it goes before links.
  private static let patience = 3

  /// Whether the radio was the advertiser's for the whole event. If not, the event takes place later.
  private func hadRadio(for duration: StackDuration) -> Bool {
    guard let time = node.radioTime else { return true }
    let now = controller.loop.now
    time.release(self)
    guard let end = time.conflict(from: start, to: start + duration, with: self) else {
      missedTurns = 0
      time.take(from: start, to: start + duration, by: self, now: now)
      return true
    }
    missedTurns += 1
    start = max(end, now)
    if missedTurns >= Self.patience { time.claim(from: start, to: start + duration, by: self) }
    eventTimer = controller.loop.schedule(at: start + duration, .background, self, tag: Timer.event.rawValue)
    return false
  }

  /// An event has ended: it is reported to its receivers.
  private func finishEvent() {
    guard let offer, hadRadio(for: offer.duration) else { return }
    completedEvents += 1
    if !node.isSilent {
      let air = controller.air
      if air.hasTap, let tap = air.tap { offer.report(to: tap, on: air, start: start) }
      for listener in air.listeners.candidates(near: node.position) where listener.node !== node {
        listener.hear(offer, start: start)
        guard isRunning else { return }
      }
      if air.remoteListenerCount > 0 { air.bridge?.carry(offer, of: self, start: start) }
    }
    if maximumEvents > 0, completedEvents >= maximumEvents {
      controller.advertisingEnded(set, reason: .limitReached, completedEvents: completedEvents)
      return
    }
    // From the event's start, not from now: the remainder of the interval.
    schedule(after: max(.zero, interval + randomDelay - (controller.loop.now - start)))
  }

  // MARK: Calls of listeners

  func path(to node: AirNode) -> AirPath { controller.air.path(from: self.node, to: node) }
  func path(from node: AirNode) -> AirPath { controller.air.path(from: node, to: self.node) }

  func answersScanRequest(from scanner: DeviceAddress) -> Bool {
    guard isRunning, !controller.resolvingList.ignores(scanner) else { return false }
    let policy = set.parameters.filterPolicy
    if policy == .scanFromListOnly || policy == .listOnly,
      !controller.acceptList.contains(controller.identity(scanner))
    {
      return false
    }
    if set.parameters.reportsScanRequests { controller.reportScanRequest(set, from: scanner) }
    return true
  }

  /// Whether the initiator may connect to this set.
  func accepts(_ initiator: DeviceAddress) -> Bool {
    guard isRunning, set.parameters.isConnectable, !node.isSilent, controller.hasRoomForConnection else { return false }
    if controller.resolvingList.ignores(initiator) { return false }
    let identity = controller.identity(initiator)
    if set.parameters.isDirected, set.parameters.peer.address != identity { return false }
    let policy = set.parameters.filterPolicy
    return policy != .connectFromListOnly && policy != .listOnly || controller.acceptList.contains(identity)
  }

  func connect(
    _ indication: ConnectIndication, by initiator: Initiator, created: StackInstant, arrives: Bool
  ) -> ConnectAnswer {
    guard arrives, accepts(indication.initiator) else {
      // AUX_CONNECT_REQ is answered at once; CONNECT_IND is not, and the initiator detects the failure later.
      return set.parameters.isLegacy ? .sent(.none) : .unanswered
    }
    return .sent(.local(take(indication, created: created) { _ in }))
  }

  /// Makes the peripheral's end of a connection and stops advertising.
  @discardableResult
  func take(
    _ indication: ConnectIndication, created: StackInstant, prepare: (Connection) -> Void
  ) -> Connection {
    stop()
    let connection = controller.openConnection(.peripheral, indication, created: created)
    prepare(connection)
    controller.advertiserConnected(set, connection, completedEvents: completedEvents)
    return connection
  }
}
