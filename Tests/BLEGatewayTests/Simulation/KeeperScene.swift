import BLEGateway

/// A keeper whose broker and clock are in the hands of a test.
final class KeeperScene {
  let keeper: LeaseKeeper
  var now = Duration.seconds(1_000)
  /// What was published.
  var leases: [Lease] = []
  private(set) var offers: [LeaseOffer] = []
  private(set) var pulses: [GatewayPulse] = []
  private(set) var opened: [String] = []
  private(set) var draining: [String] = []
  private(set) var closed: [LeaseEnd] = []
  private(set) var reports: [LeaseReport] = []
  private(set) var followed: Set<LeaseTopic> = []
  /// How many of `leases` have come back from the broker.
  private var returned = 0
  /// Whether the network is cut without a sign: own pulses do not come back.
  var isCut = false
  var isBack: Bool { returned == leases.count }

  init(_ rules: LeaseRules = LeaseRules()) {
    keeper = LeaseKeeper(KeeperScene.named("hall"), rules: rules)
    keeper.brokerConnected(at: now)
    take()
  }

  private static func named(_ name: String) -> GatewayInstance {
    guard let instance = GatewayInstance(gateway: name, instance: "1") else { fatalError("\(name) is no name") }
    return instance
  }

  func instance(_ name: String) -> GatewayInstance { Self.named(name) }

  func take() {
    for action in keeper.takeActions() {
      switch action {
      case .publish(.lease(let lease)): leases.append(lease)
      case .publish(.offer(let offer)): offers.append(offer)
      case .publish(.pulse(let pulse)):
        pulses.append(pulse)
        if !isCut { keeper.receive(.pulse(pulse), on: .pulse(gateway: pulse.sender.gateway), at: now) }
      case .follow(let topic): followed.insert(topic)
      case .unfollow(let topic): followed.remove(topic)
      case .open(let device, _, _): opened.append(device)
      case .drain(let device, _): draining.append(device)
      case .close(_, _, let end): closed.append(end)
      case .report(let report):
        if case .held = report { continue }
        if case .ended = report { continue }
        reports.append(report)
      }
    }
  }

  /// The clock moves, and the keeper is called when it wants to be.
  func pass(_ duration: Duration) {
    let end = now + duration
    while let wake = keeper.wake, wake <= end {
      now = max(now, wake)
      keeper.advance(to: now)
      take()
    }
    now = end
  }

  func hear(_ device: String, _ rssi: Int) {
    keeper.heard(device, rssi: rssi, at: now)
    take()
  }

  func receive(_ message: LeaseMessage) {
    keeper.receive(message, on: message.topic, at: now)
    take()
  }

  /// All leases that were published come back from the broker.
  func comeBack() {
    let coming = leases[min(returned, leases.count)...]
    returned = leases.count
    for lease in coming { receive(.lease(lease)) }
  }

  func claim(_ device: String, strength: Int = -60) {
    hear(device, strength)
    pass(.seconds(1))
  }

  func hold(_ device: String, strength: Int = -60) {
    claim(device, strength: strength)
    comeBack()
    pass(.milliseconds(250))
    keeper.opened(device, epoch: 1, subscriptions: [], at: now)
    take()
  }
}
