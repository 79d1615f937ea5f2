import BLEAdapter
import BLEHCI

/// When the controller of a stack is started, used and stopped, and the state that roles receive. A value without I/O: inputs return
/// the actions to perform, in order.
///
/// It is on when the application may use Bluetooth and the adapter is switched on. To stop, links are ended first and the controller
/// afterwards, unless they take too long.
struct PowerMachine {
  enum Input {
    /// Starts as far as the settings allow; also retries after a failure.
    case start
    case setSwitchedOn(Bool)
    /// Whether the application may use Bluetooth.
    case setPermitted(Bool)
    case controller(HCIControllerState)
    /// This stack must not run on this controller.
    case refused
    /// The bonds were loaded for the preparation of this number.
    case bondsLoaded(preparation: Int)
    /// The last link has ended, or the limit for that has passed.
    case linksEnded
    case shutDown
    /// The data that applications sent before the shutdown has arrived.
    case linksDrained
    /// The process dies: stops without reporting.
    case abandon
  }

  enum Action: Equatable {
    case startController
    /// Set up the controller's addresses and load the bonds; answered by `bondsLoaded`, or by `refused`.
    case prepare(ControllerFeatures, preparation: Int)
    /// Begin to use the controller, which is set up.
    case run(ControllerFeatures)
    /// Disconnect all links, and end everything else that depends on the controller; answered by `linksEnded`.
    case endLinks
    /// The controller was lost while it was used: end everything that depends on it.
    case endEverything(isLost: Bool)
    /// End the remaining links, and those established while the stack was stopping.
    case endConnections
    /// Stop the controller, end the remaining links, and report to those who wait for that.
    case stopController
    /// Wait for the data that applications have sent; answered by `linksDrained`.
    case drainLinks
    case report(AdapterState)
  }

  enum Phase {
    /// The controller is stopped.
    case down
    /// The controller is started, and may be running.
    case up
    /// Links are being ended before the controller is stopped.
    case stopping
  }

  private(set) var phase = Phase.down
  /// Whether the controller is ready and set up to be used.
  private(set) var isRunning = false
  /// The state reported to roles.
  private(set) var reported = AdapterState.unknown
  private var isSwitchedOn: Bool
  private var isPermitted: Bool
  private var isShutDown = false
  private var isRefused = false
  private var controller = HCIControllerState.stopped
  /// Whether the controller was ever used: a failure before that means a missing adapter, not an interruption.
  private var hasRun = false
  /// How often the controller has become ready. Answers to earlier preparations are ignored.
  private var preparation = 0

  init(isSwitchedOn: Bool, isPermitted: Bool) {
    self.isSwitchedOn = isSwitchedOn
    self.isPermitted = isPermitted
  }

  mutating func handle(_ input: Input) -> [Action] {
    switch input {
    case .start, .linksDrained: break
    case .setSwitchedOn(let isOn): isSwitchedOn = isOn
    case .setPermitted(let isPermitted): self.isPermitted = isPermitted
    case .controller(let state): return controllerChanged(state)
    case .refused:
      isRefused = true
      return stop() + report()
    case .bondsLoaded(let preparation):
      guard preparation == self.preparation, phase == .up, case .ready(let features) = controller else { return [] }
      isRunning = true
      hasRun = true
      return [.run(features)] + report()
    case .linksEnded: return phase == .stopping ? finishStopping() : []
    case .shutDown:
      isShutDown = true
      return [phase == .down ? .stopController : .drainLinks]
    case .abandon:
      isShutDown = true
      phase = .down
      reported = .unknown
      return [.stopController]
    }
    return update()
  }

  /// Starts or stops the controller as the settings demand.
  private mutating func update() -> [Action] {
    var actions: [Action] = []
    if isPermitted, isSwitchedOn, !isShutDown, !isRefused {
      if phase == .down { phase = .up }
      if phase == .up { actions = [.startController] }
    } else if phase == .up {
      actions = stop()
    }
    return actions + report()
  }

  private mutating func controllerChanged(_ state: HCIControllerState) -> [Action] {
    controller = state
    var actions: [Action] = []
    switch state {
    case .starting: break
    case .ready(let features):
      guard phase == .up else { break }
      preparation += 1
      actions = [.prepare(features, preparation: preparation)]
    case .waiting, .stopped, .resetting, .failed:
      if isRunning { actions = [.endEverything(isLost: phase == .up)] }
      isRunning = false
      actions.append(.endConnections)
      if phase == .stopping { return actions + finishStopping() }
    }
    return actions + report()
  }

  private mutating func stop() -> [Action] {
    guard isRunning else { return finishStopping() }
    phase = .stopping
    isRunning = false
    return [.endLinks]
  }

  private mutating func finishStopping() -> [Action] {
    phase = .down
    // It is, once the actions are performed: the state before that must not be reported as that of its next start.
    controller = .stopped
    return [.stopController] + update()
  }

  /// Reports the state if it has changed. It follows from the settings first, and from the controller second.
  private mutating func report() -> [Action] {
    let state = currentState
    if state == reported { return [] }
    reported = state
    return [.report(state)]
  }

  private var currentState: AdapterState {
    if !isPermitted { return .unauthorized }
    if !isSwitchedOn { return .poweredOff }
    if isRefused { return .unsupported }
    return switch controller {
    case .ready: isRunning ? .poweredOn : reported
    case .resetting: hasRun ? .resetting : .unsupported
    // An adapter that was ready before counts as off, because it may return; one that never was is missing.
    case .waiting(let cause): AdapterState(without: cause) ?? (hasRun ? .poweredOff : .unsupported)
    case .failed(.transport(let cause)): AdapterState(without: cause) ?? .unsupported
    case .failed: .unsupported
    // While the controller starts, the state does not change.
    case .stopped, .starting: reported
    }
  }
}

extension AdapterState {
  /// The state for a missing controller if the user can change the cause; `nil` for other causes.
  fileprivate init?(without cause: TransportError) {
    switch cause.kind {
    case .notPermitted: self = .unauthorized
    case .switchedOff: self = .poweredOff
    case .unreachable, .unsuitable, .closed, .malformed, .invalidName: return nil
    }
  }
}
