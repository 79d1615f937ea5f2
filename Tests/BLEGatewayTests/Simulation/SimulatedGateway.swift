import BLECore
import BLEGateway

/// A gateway of the simulation: a real `LeaseKeeper` with a clock of its own, an outbox that outlives it, and links to simulated devices.
final class SimulatedGateway {
  let number: Int
  let name: String
  let (x, y): (Double, Double)
  let fleet: SimulatedFleet
  /// Its clock: where it begins, and by how much it runs faster.
  private let (offset, rate): (Duration, Double)
  private let rules: LeaseRules
  /// The node of the broker that it connects to.
  let node: Int
  private(set) var keeper: LeaseKeeper?
  /// Counts its processes.
  private(set) var life = 0
  private var session: SimulatedBroker.Session?
  var isReachable = true
  /// Outlives the process.
  private(set) var outbox: [SimulatedValue] = []
  private var nextNumber = 1
  /// Devices that its configuration does not have for a while.
  private var unwanted: Set<String> = []
  private var open: [String: Int] = [:]
  private var draining: [String: Int] = [:]
  private var plannedWake: Duration?
  private(set) var reports: [LeaseReport] = []
  /// When each device was held by this gateway for the last time: since when.
  private(set) var heldSince: [String: Duration] = [:]

  init(
    number: Int, name: String, x: Double, y: Double, node: Int, offset: Duration, rate: Double, rules: LeaseRules,
    in fleet: SimulatedFleet
  ) {
    (self.number, self.name, self.x, self.y, self.node) = (number, name, x, y, node)
    (self.offset, self.rate, self.rules, self.fleet) = (offset, rate, rules, fleet)
  }

  private var clock: Duration { offset + fleet.time.now + fleet.time.now * rate }

  func start() {
    guard keeper == nil else { return }
    life += 1
    let word = "\(life)x" + String(fleet.chance.next(), radix: 36)
    guard let identity = GatewayInstance(gateway: name, instance: word) else { return }
    var rules = rules
    // Seconds of the time of day.
    let wrongness = Int(fleet.chance.unit() * Double(fleet.plan.wrongness) * 2) - fleet.plan.wrongness
    rules.firstEpoch = 10_000 + Int(fleet.time.now.components.seconds) + wrongness
    keeper = LeaseKeeper(identity, rules: rules)
    (open, draining, heldSince) = ([:], [:], [:])
    connect()
  }

  /// The process ends without a word; its links break a little later.
  func kill() {
    guard keeper != nil else { return }
    keeper = nil
    plannedWake = nil
    (stalledUntil, waiting) = (nil, [])
    let (life, number) = (life, number)
    fleet.time.after(.fraction(0.2 + fleet.chance.unit() * 0.8)) { [fleet] in
      for device in fleet.devices { device.links.removeAll { $0.gateway == number && $0.life == life } }
    }
    // The system closes the connection; a machine without power does not.
    guard let session else { return }
    self.session = nil
    session.closed = {}
    if fleet.chance.unit() < 0.5 {
      fleet.broker.close(session)
    } else {
      session.isCut = true
      fleet.time.after(.seconds(15)) { [fleet] in fleet.broker.close(session) }
    }
  }

  /// The process ends as it should.
  func end() {
    guard let keeper else { return }
    keeper.end(at: clock)
    perform()
    self.keeper = nil
    if let session {
      session.closed = {}
      fleet.time.after(.seconds(1)) { [fleet] in fleet.broker.close(session, clean: true) }
    }
    session = nil
  }

  /// The cable is pulled, or put back. Without a sign on the link it takes 15 s until it is noticed.
  func setReachable(_ isReachable: Bool, isNoticed: Bool) {
    self.isReachable = isReachable
    guard !isReachable, let session else { return }
    if isNoticed { return fleet.broker.close(session) }
    session.isCut = true
    fleet.time.after(.seconds(15)) { [fleet] in fleet.broker.close(session) }
  }

  private func connect() {
    guard session == nil, let keeper else { return }
    guard isReachable else { return retryConnecting() }
    let session = SimulatedBroker.Session(node: node)
    self.session = session
    session.will = (LeaseMessage.pulse(keeper.lastWill).topic.path, LeaseMessage.pulse(keeper.lastWill).payload)
    session.received = { [weak self] topic, payload in self?.received(topic, payload) }
    session.acknowledged = { [weak self] in self?.acknowledged($0) }
    session.closed = { [weak self] in self?.closed() }
    fleet.broker.connect(session)
    for topic in topics.sorted(by: { $0.path < $1.path }) { fleet.broker.subscribe(session, topic.path) }
    keeper.brokerConnected(at: clock)
    perform()
    for value in outbox { send(value) }
  }

  private var topics: Set<LeaseTopic> = []

  private func closed() {
    session = nil
    keeper?.brokerDisconnected(at: clock)
    perform()
    retryConnecting()
  }

  private func retryConnecting() {
    let life = life
    fleet.time.after(.fraction(0.3 + fleet.chance.unit())) { [weak self] in
      if let self, self.life == life, self.keeper != nil { self.connect() }
    }
  }

  /// The process does not run for a while: a machine that sleeps, a radio that hangs.
  func stall(for duration: Duration) {
    let until = fleet.time.now + duration
    stalledUntil = until
    fleet.time.at(until) { [weak self] in
      guard let self, self.stalledUntil == until else { return }
      self.stalledUntil = nil
      self.keeper?.advance(to: self.clock)
      self.perform()
      let messages = self.waiting
      self.waiting = []
      for (path, payload) in messages { self.received(path, payload) }
    }
  }

  private var stalledUntil: Duration?
  private var waiting: [(String, String)] = []

  private func received(_ path: String, _ payload: String) {
    if stalledUntil != nil { return waiting.append((path, payload)) }
    guard let keeper, let topic = LeaseTopic(path: path) else { return }
    fleet.received += 1
    keeper.receive(payload.isEmpty ? nil : try? LeaseMessage(payload.utf8, on: topic), on: topic, at: clock)
    perform()
  }

  func hears(_ device: SimulatedDevice, _ rssi: Int) {
    guard stalledUntil == nil, !unwanted.contains(device.name) else { return }
    keeper?.heard(device.name, rssi: rssi, at: clock)
    perform()
  }

  /// Its configuration changes.
  func want(_ device: String, _ isWanted: Bool) {
    if isWanted { return _ = unwanted.remove(device) }
    // A process that does not run reloads nothing.
    guard stalledUntil == nil else { return }
    unwanted.insert(device)
    keeper?.giveUp(device, at: clock)
    perform()
  }

  private func perform() {
    guard let keeper else { return }
    for action in keeper.takeActions() { perform(action) }
    plan()
  }

  /// The keeper's next call.
  private func plan() {
    guard let wake = keeper?.wake else { return }
    let at = (wake - offset) / (1 + rate) + .microseconds(10)
    if let plannedWake, plannedWake <= at, plannedWake >= fleet.time.now { return }
    plannedWake = at
    let life = life
    fleet.time.at(at) { [weak self] in
      guard let self, self.life == life, let keeper = self.keeper, self.plannedWake == at else { return }
      self.plannedWake = nil
      guard self.stalledUntil == nil else { return }
      self.fleet.wakes += 1
      keeper.advance(to: self.clock)
      self.perform()
    }
  }

  private func perform(_ action: LeaseAction) {
    switch action {
    case .publish(let message):
      guard let session else { return }
      fleet.broker.publish(session, message.topic.path, message.payload, retain: message.isRetained)
    case .follow(let topic):
      if topics.insert(topic).inserted, let session { fleet.broker.subscribe(session, topic.path) }
    case .unfollow(let topic):
      if topics.remove(topic) != nil, let session { fleet.broker.unsubscribe(session, topic.path) }
    case .open(let device, let epoch, _): openLink(device, epoch)
    case .drain(let device, let epoch):
      closeLink(device)
      draining[device] = epoch
      finishDraining()
    case .close(let device, _, _): closeLink(device)
    case .report(let report):
      if reports.count < 1_000 { reports.append(report) }
      switch report {
      case .held(let device, _): heldSince[device] = fleet.time.now
      case .ended(let device, _, _): heldSince[device] = nil
      default: break
      }
    }
  }

  // Links

  private func openLink(_ name: String, _ epoch: Int) {
    open[name] = epoch
    let life = life
    fleet.time.after(.fraction(0.1 + fleet.chance.unit() * 0.5)) { [weak self] in
      guard let self, self.life == life, let keeper = self.keeper, self.open[name] == epoch else { return }
      guard let device = self.fleet.device(name), device.acceptsLink, device.strength(at: self) > -95 else {
        self.open[name] = nil
        keeper.failed(name, epoch: epoch, at: self.clock)
        return self.perform()
      }
      device.links.append((self.number, life))
      keeper.opened(name, epoch: epoch, subscriptions: ["180F/2A19"], at: self.clock)
      self.perform()
    }
  }

  private func closeLink(_ name: String) {
    open[name] = nil
    let (life, number) = (life, number)
    fleet.device(name)?.links.removeAll { $0.gateway == number && $0.life == life }
  }

  /// The link broke, and was not won back.
  func linkBroke(_ device: SimulatedDevice) {
    guard let epoch = open.removeValue(forKey: device.name) else { return }
    let life = life
    fleet.time.after(.seconds(8)) { [weak self] in
      guard let self, self.life == life else { return }
      self.keeper?.lost(device.name, epoch: epoch, at: self.clock)
      self.perform()
    }
  }

  // Values

  func says(_ device: SimulatedDevice) {
    guard stalledUntil == nil, open[device.name] != nil, draining[device.name] == nil,
      let stamp = keeper?.stamp(device.name)
    else { return }
    let value = SimulatedValue(device: device.name, stamp: stamp, said: device.said, number: nextNumber)
    nextNumber += 1
    outbox.append(value)
    fleet.checks.accepted(value)
    send(value)
  }

  private func send(_ value: SimulatedValue) {
    guard let session else { return }
    fleet.broker.publish(session, "value/" + value.device, value.payload, retain: false, number: value.number)
  }

  private func acknowledged(_ number: Int) {
    outbox.removeAll { $0.number == number }
    finishDraining()
  }

  private func finishDraining() {
    guard keeper != nil else { return }
    for (device, epoch) in draining.sorted(by: { $0.key < $1.key })
    where !outbox.contains(where: { $0.device == device }) {
      draining[device] = nil
      keeper?.drained(device, epoch: epoch, at: clock)
      perform()
    }
  }
}
