import BLESession

/// Opens the link of a shell again after it was lost, until the user closes it or the session cannot succeed any more.
@MainActor final class ShellComeback {
  private let device: DeviceSession
  /// Whether a lost link is opened again.
  private(set) var isAwaited = false
  private var failures = 0
  /// The pauses after attempts that fail at once; a device that is away makes no attempt fail.
  private static let backOff = ReconnectPolicy.BackOff(jitter: 0)

  init(of device: DeviceSession) { self.device = device }

  /// The user has closed the link, or ends the shell.
  func giveUp() { isAwaited = false }

  func take(_ event: SessionEvent) {
    switch event {
    case .ready:
      isAwaited = false
      failures = 0
    case .disconnected(.lost): isAwaited = true
    case .state(.stopped(.lost)): tryAgain()
    case .state(.stopped(.attemptsSpent)) where isAwaited:
      failures += 1
      let pause = Self.backOff.pause(afterFailures: failures, chance: 0)
      onMain(after: Double(pause.components.seconds) + Double(pause.components.attoseconds) / 1e18) { [weak self] in
        self?.tryAgain()
      }
    // The session connects by itself when Bluetooth is available.
    case .state(.stopped(.poweredOff)), .state(.stopped(.unauthorized)), .state(.stopped(.unsupported)): break
    case .state(.stopped): isAwaited = false
    default: break
    }
  }

  private func tryAgain() {
    if isAwaited { device.keepConnected() }
  }
}
