import BLEProfileFiles
import BLESession
import CoreBluetooth

/// Publishes the peripheral of a profile and reports its events.
@MainActor final class ProfileServer {
  let session: Session
  private var profile: Profile
  private lazy var peripheral = makePeripheral()
  /// Of the peripheral: another one for each profile.
  private var generation = 0
  private var isStarted = false
  private var hasStarted = false
  private var failure: ToolError?
  private var isOver = false
  private var channels: [EchoedChannel] = []

  private var waiting: Waiting { session.waiting }

  init(_ profile: Profile, in session: Session) {
    self.profile = profile
    self.session = session
  }

  /// Ends `run()`.
  func end() {
    isOver = true
    waiting.changed()
  }

  private func makePeripheral() -> ProfilePeripheral {
    generation += 1
    return ProfilePeripheral(profile) { [weak self, generation] event in
      // One that was replaced tells of its end.
      if let self, generation == self.generation { take(event) }
    }
  }

  /// Publishes another profile in place of this one. Links stay: those connected get Service Changed (Core, Vol 3 Part G 7.1).
  func change(to new: Profile) {
    guard new != profile else { return }
    let old = peripheral
    profile = new
    let next = makePeripheral()
    // Before the old one is closed, so that there is one at any time.
    if old.state != nil { next.open() }
    old.close()
    peripheral = next
    if isStarted { next.start() }
    waiting.changed()
  }

  /// Sends a typed line to all subscribers.
  func type(_ line: String) { peripheral.type(line) }

  /// Publishes and advertises, again each time Bluetooth is back, until `end()`.
  func run() async throws(ToolError) {
    try await session.adapterIsReady { self.isOver }
    peripheral.open()
    // The one of the last reload.
    defer { peripheral.close() }
    try await session.powerIsOn { self.peripheral.state ?? .unknown }
    isStarted = true
    peripheral.start()
    let late = ToolError(.timedOut, "Publishing and advertising did not begin in time.")
    try await waiting.until(within: session.timeout, else: late) { () throws(ToolError) in
      try self.check() || self.hasStarted || self.peripheral.state != .poweredOn
    }
    try await waiting.until(within: nil) { () throws(ToolError) in try self.check() }
  }

  /// Whether `end()` was called; throws what ends the server.
  private func check() throws(ToolError) -> Bool {
    if let failure { throw failure }
    switch peripheral.state {
    // Bluetooth that is switched off can be switched on; these states do not change by themselves.
    case .unsupported?, .unauthorized?:
      if let state = peripheral.state, let failure = ToolError(state) { throw failure }
    default: break
    }
    return isOver
  }

  private func take(_ event: ProfileEvent) {
    switch event {
    // Those who wait look at it.
    case .state: break
    case .advertising:
      hasStarted = true
      session.output.advertising(peripheral.plan)
    case .unavailable:
      hasStarted = false
      session.output.unavailable()
    case .failed(let error): failure = ToolError(error)
    case .accessed(let access, let served, let central, let value): report(access.rawValue, served, central, value)
    case .note(let text): session.output.note(text)
    case .channelPublished(let psm): session.output.note("The channel's PSM is \(psm).")
    case .channelOpened(let opened):
      session.output.note(
        "A channel from \(opened.channel.peer.identifier.uuidString); what comes by it is sent back.")
      channels.removeAll(where: \.hasEnded)
      channels.append(EchoedChannel(opened))
    }
    waiting.changed()
  }
}
