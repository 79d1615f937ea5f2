import BLESession
import CoreBluetooth

extension ChatCore {
  /// How a lost link is re-established, before another partner is searched for.
  private static let policy = ReconnectPolicy(
    budget: .seconds(20), backOff: .init(first: .milliseconds(100), longest: .seconds(2)),
    approach: .directThenScan(after: .seconds(3)))

  /// Searches for a partner, unless there is one.
  func seek() {
    guard let central, isStarted, !isLeaving, talk == nil, device == nil, scan == nil else { return }
    scan = central.scanner.add(.services([ChatProtocol.service]), repeats: false) { [weak self] in self?.found($0) }
  }

  func stopSeeking() {
    seekTimer?.cancel()
    seekTimer = nil
    nextScan?.timer.cancel()
    nextScan = nil
    guard let scan else { return }
    self.scan = nil
    central?.scanner.remove(scan)
  }

  /// Searches again after a delay.
  func seek(after delay: Duration) {
    stopSeeking()
    seekTimer = call(after: delay) { core in
      core.seekTimer = nil
      core.seek()
    }
  }

  private func found(_ discovery: Discovery) {
    guard device == nil, talk == nil, seekTimer == nil, discovery.advertisement.isConnectable != false,
      hasPartnerName(discovery)
    else { return }
    if let end = avoided[discovery.identifier] {
      guard end <= clock.now else { return seekAgain(at: end) }
      avoided[discovery.identifier] = nil
    }
    guard configuration.role == .automatic else { return connect(to: discovery.identifier) }
    // If both sides find each other at the same time, one of them is a little faster.
    let delay = Duration.milliseconds(Int64(conversation.identifier % 256))
    seekTimer = call(after: delay) { core in
      core.seekTimer = nil
      if core.device == nil, core.talk == nil { core.connect(to: discovery.identifier) }
    }
  }

  /// A scan reports each device once: when a device is no longer to be avoided, the scan has to be restarted.
  private func seekAgain(at moment: Duration) {
    if let nextScan, nextScan.moment <= moment { return }
    nextScan?.timer.cancel()
    nextScan = (
      moment,
      call(after: moment - clock.now) { core in
        guard core.scan != nil else { return }
        core.stopSeeking()
        core.seek()
      }
    )
  }

  /// Checks the advertised name. A name that did not fit into the advertisement is compared again after the hello.
  private func hasPartnerName(_ discovery: Discovery) -> Bool {
    guard let partner = configuration.partner else { return true }
    guard let name = discovery.name else { return false }
    return name == partner || (name.utf8.count >= 8 && partner.hasPrefix(name))
  }

  private func connect(to identifier: UUID) {
    guard let central else { return }
    stopSeeking()
    let device = DeviceCore(
      central: central, target: .device(identifier),
      configuration: SessionConfiguration(
        policy: Self.policy, services: [ChatProtocol.service], answerTime: .seconds(10)))
    self.device = device
    (framedSubscription, plainSubscription) = (nil, nil)
    _ = device.observe { [weak self, weak device] event in
      if let self, let device, self.device === device { self.deviceDidReport(device, event.event) }
    }
    let reply = Reply<Void>()
    reply.whenFailed = { [weak self, weak device] _ in
      if let self, let device, self.device === device { self.lostDevice() }
    }
    device.connect(reply)
  }

  private func deviceDidReport(_ device: DeviceCore, _ event: SessionEvent) {
    switch event {
    case .ready: ready(device)
    case .disconnected: linkLost()
    case .subscriptionFailed(_, let error): device.dropLink(error)
    case .state(.stopped(.poweredOff)): if peripheral == nil { report(.unavailable(.unavailable(.poweredOff))) }
    case .state(.stopped): lostDevice()
    default: break
    }
  }

  private func linkLost() {
    guard let link = centralLink else {
      if case .plain(let talk) = talk, talk.side == .central { endTalk(.away) }
      return
    }
    centralLink = nil
    link.end()
    if case .framed(let current) = talk, current === link { endTalk(.away) }
    leaveIfAlone()
  }

  /// Gives the device up.
  private func lostDevice() {
    linkLost()
    device = nil
    seek(after: .milliseconds(500))
  }

  /// Avoids the device for a while.
  func avoidDevice(for time: Duration) {
    guard let device else { return }
    if let identifier = device.peripheral?.identifier {
      avoided = avoided.filter { $0.value > clock.now }
      if avoided.count < 256 { avoided[identifier] = clock.now + time }
    }
    releaseDevice()
    seek(after: time)
  }

  func releaseDevice() {
    guard let device else { return }
    self.device = nil
    centralLink?.end()
    centralLink = nil
    device.disconnect(nil)
  }

  func releaseSpareDevice() {
    spareDevice?.disconnect(nil)
    spareDevice = nil
  }

  private func ready(_ device: DeviceCore) {
    // While leaving, nothing new is begun.
    guard let peripheral = device.peripheral, !isLeaving else { return }
    let identifier = peripheral.identifier
    if ChatProtocol.framed.find(in: peripheral) != nil {
      if framedSubscription == nil {
        framedSubscription = device.subscribe(
          ChatProtocol.framed,
          tell: { [weak self] value in
            if let self, let link = self.centralLink { self.received(value, on: link) }
          }, finish: {})
      }
      let link = makeLink(.central, identifier)
      centralLink = link
      link.say(.hello(conversation.hello()))
      flush(link)
    } else if ChatProtocol.plain.find(in: peripheral) != nil {
      let name = central?.scanner.discovery(identifier)?.name ?? peripheral.name
      if let reason = plainRefusal(of: name, identifier) {
        refuse(identifier, reason)
        return avoidDevice(for: .seconds(30))
      }
      let talk = ChatPlainTalk(.central, identifier, name: name)
      if plainSubscription == nil {
        plainSubscription = device.subscribe(
          ChatProtocol.plain, tell: { [weak self] in self?.heardPlain($0) }, finish: {})
      }
      begin(talk)
    } else {
      avoidDevice(for: .seconds(30))
    }
  }
}
