import BLEProfileFiles
import BLESession
import CoreBluetooth

/// Publishes the peripheral of a profile and reports its events.
@MainActor final class ProfileServer {
  let session: Session
  private let profile: Profile
  private lazy var peripheral = ProfilePeripheral(profile) { [weak self] event in self?.take(event) }
  private var hasStarted = false
  private var failure: ToolError?
  private var isOver = false

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

  /// Sends a typed line to all subscribers.
  func type(_ line: String) { peripheral.type(line) }

  /// Publishes and advertises, again each time Bluetooth is back, until `end()`.
  func run() async throws(ToolError) {
    try await session.adapterIsReady { self.isOver }
    peripheral.open()
    defer { peripheral.close() }
    try await session.powerIsOn { self.peripheral.state ?? .unknown }
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
    }
    waiting.changed()
  }
}
