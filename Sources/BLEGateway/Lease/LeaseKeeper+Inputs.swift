import BLESession

extension LeaseKeeper {
  /// There is a connection to the broker, and the topics that were followed are subscribed to again.
  public func brokerConnected(at now: Duration) {
    guard !hasEnded else { return }
    isConnected = true
    attentiveSince = now
    pulseAt = now
    own.isHeard(at: now)
    actions.append(.follow(.pulse(gateway: identity.gateway)))
    for entry in order {
      entry.isConfirmed = false
      entry.lookUntil = now + rules.look
    }
    advance(to: now)
    reviewAll(now)
  }

  /// The connection to the broker has ended. Devices that are open stay open as the rules say.
  public func brokerDisconnected(at now: Duration) {
    guard !hasEnded else { return }
    isConnected = false
    for entry in order {
      if entry.role == .claiming || entry.role == .settling { enter(entry, .watching, now) }
    }
    advance(to: now)
    reviewAll(now)
  }

  /// A device that this gateway may keep has advertised, or the strength of its link was measured: the latter at least each five seconds
  /// while it is open, so that the strength of the lease is known.
  /// - Parameters:
  ///   - device: valid as of `GatewayInstance.isName(_:)`; others are ignored.
  ///   - rssi: in dBm; impossible ones are ignored.
  public func heard(_ device: String, rssi: Int, at now: Duration) {
    guard !hasEnded, (-127...20).contains(rssi) else { return }
    attend(now)
    guard let entry = devices[device] ?? follow(device, now) else { return }
    // After a pause the past says nothing.
    if let heardAt = entry.heardAt, now - heardAt > rules.audible {
      entry.filter = SignalFilter(weight: rules.smoothing)
    }
    entry.filter.add(rssi)
    entry.heardAt = now
    entry.isGivenUp = false
    review(entry, now)
  }

  /// A message has arrived on a topic of leases. An empty one, by which somebody has deleted a retained message, is `nil`, as is one that
  /// cannot be read.
  public func receive(_ message: LeaseMessage?, on topic: LeaseTopic, at now: Duration) {
    guard !hasEnded, message == nil || message?.topic == topic else { return }
    attend(now)
    switch (message, topic) {
    case (.lease(let lease), _):
      if let entry = devices[lease.device] { receive(lease, entry, now) }
    case (.offer(let offer), _):
      if let entry = devices[offer.device] { receive(offer, entry, now) }
    case (.pulse(let pulse), _): receive(pulse, now)
    case (nil, .lease(let device)):
      guard let entry = devices[device], let known = entry.known else { return }
      overwritten(entry, now)
      if known.holder == identity { actions.append(.report(.repaired(topic))) }
      review(entry, now)
    case (nil, _): break
    }
  }

  /// The device is connected and subscribed: it is announced.
  /// - Parameter subscriptions: what the next holder has to subscribe to, as `180F/2A19`.
  public func opened(_ device: String, epoch: Int, subscriptions: [String], at now: Duration) {
    guard let entry = devices[device], entry.role == .opening, entry.known?.epoch == epoch else { return }
    entry.failures = 0
    entry.subscriptions = Self.bounded(subscriptions)
    enter(entry, .held, now)
    announce(entry, now)
    actions.append(.report(.held(device: device, epoch: epoch)))
    review(entry, now)
  }

  /// Other characteristics of a held device are subscribed to now.
  public func subscribed(_ device: String, to subscriptions: [String], at now: Duration) {
    guard let entry = devices[device], entry.role == .held else { return }
    let bounded = Self.bounded(subscriptions)
    guard bounded != entry.subscriptions else { return }
    entry.subscriptions = bounded
    announce(entry, now)
  }

  /// What `open` has asked for has failed.
  public func failed(_ device: String, epoch: Int, at now: Duration) {
    guard let entry = devices[device], entry.role == .opening, entry.known?.epoch == epoch else { return }
    fail(entry, now)
    review(entry, now)
  }

  /// The session has lost the device, and does not try to win it back any more.
  public func lost(_ device: String, epoch: Int, at now: Duration) {
    guard let entry = devices[device], entry.isActive, entry.known?.epoch == epoch else { return }
    entry.retryAt = now + rules.retry
    release(entry, .lost, now)
    review(entry, now)
  }

  /// The broker has acknowledged all values of the device, and its link has ended.
  public func drained(_ device: String, epoch: Int, at now: Duration) {
    guard let entry = devices[device], entry.role == .draining, entry.known?.epoch == epoch else { return }
    finishDraining(entry, now)
    review(entry, now)
  }

  /// The device is not wanted any more, for example because the configuration has changed. Its lease is released: where there is no broker, when
  /// there is one. It is followed again when it is heard.
  public func giveUp(_ device: String, at now: Duration) {
    guard !hasEnded, let entry = devices[device] else { return }
    attend(now)
    entry.isGivenUp = true
    withdraw(entry, now)
    review(entry, now)
  }

  /// The gateway ends: all devices are released. What is published has to be sent before the connection is closed.
  public func end(at now: Duration) {
    guard !hasEnded else { return }
    for entry in order { withdraw(entry, now) }
    if isConnected { actions.append(.publish(.pulse(lastWill))) }
    hasEnded = true
  }

  private func withdraw(_ entry: LeaseEntry, _ now: Duration) {
    if entry.isActive {
      close(entry, .requested)
      release(entry, .requested, now)
    } else if entry.role != .watching {
      // The claim may be on its way, and others would believe in it.
      // No value has been numbered in its epoch.
      if let claim = entry.claim { (entry.known, entry.sequence) = (claim, 0) }
      enter(entry, .watching, now)
      publishRelease(entry, now)
    }
  }

  /// What the broker has to publish when the connection breaks.
  public var lastWill: GatewayPulse { GatewayPulse(sender: identity, number: 0, isEnd: true) }

  private static func bounded(_ subscriptions: [String]) -> [String] {
    Array(subscriptions.filter { $0.utf8.count <= Lease.longestSubscription }.prefix(Lease.mostSubscriptions))
  }
}
