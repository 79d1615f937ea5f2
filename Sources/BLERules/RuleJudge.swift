import BLEAdapter
import BLECore
import BLEWire
import Synchronization

/// Judges the programs on one device by a set of rules. From any thread.
///
/// It changes nothing and calls nothing: what it has found is asked for. Time passes for it with each event, and with `look(at:)`.
public final class RuleJudge: Sendable {
  private struct State {
    var scene: RuleScene
    var findings: RuleFindings
    var managers = ManagerRules()
    var scanning = ScanRules()
    var connecting = ConnectionRules()
    var discovering = DiscoveryRules()
    var values = ValueRules()
    var publishing = PublishingRules()
    var updates = UpdateRules()
    var requests = RequestRules()
    var background = BackgroundRules()
    var restoring = RestorationRules()
    var accessories = AccessoryRules()
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - device: its name, for reports.
  ///   - registry: one for all devices that are judged together.
  public init(_ rules: RuleSet, device: String, registry: IdentifierRegistry = IdentifierRegistry()) {
    state = Mutex(
      State(
        scene: RuleScene(information: rules.information, device: device, registry: registry),
        findings: RuleFindings(device: device, suppressed: rules.suppressed)))
  }

  /// A program on the device has done something.
  public func see(_ event: ProgramEvent) {
    state.withLock { state in
      state.findings.look(at: event.time)
      state.managers.see(event, state.scene, &state.findings)
      let isRefused = state.scene.isRefused(event)
      state.scene.follow(event)
      if isRefused { return }
      switch event.manager.role {
      case .central:
        state.scanning.see(event, state.scene, &state.findings)
        state.connecting.see(event, state.scene, &state.findings)
        state.discovering.see(event, &state.findings)
        state.values.see(event, &state.findings)
      case .peripheral:
        state.publishing.see(event, state.scene, &state.findings)
        state.updates.see(event, &state.findings)
        state.requests.see(event, &state.findings)
      }
      state.background.see(event, &state.scene, &state.findings)
      state.restoring.see(event, &state.findings)
    }
  }

  /// The device's controller has sent its host a packet.
  public func receive(_ packet: HCIPacket, at now: StackInstant) {
    guard packet.kind == .aclData else { return }
    state.withLock { state in
      state.accessories.receive(packet, at: now, &state.findings)
    }
  }

  /// The system moves the app to the background, or back.
  public func setInBackground(_ isInBackground: Bool, at now: StackInstant) {
    state.withLock { state in
      guard state.scene.isInBackground != isInBackground else { return }
      state.findings.look(at: now)
      state.scene.isInBackground = isInBackground
      state.scene.lastEvent = now
      guard isInBackground else { return }
      state.scanning.enterBackground(at: now, &state.findings)
      state.publishing.enterBackground(at: now, &state.findings)
      // The user does not wait any more.
      state.findings.meetAll(.connectionWithoutEnd)
    }
  }

  /// The app's process has ended; the next one begins.
  public func processEnded(at now: StackInstant) {
    state.withLock { state in
      state.findings.look(at: now)
      state.findings.expectNothing()
      state.scanning = ScanRules()
      state.connecting = ConnectionRules()
      state.values = ValueRules()
      state.publishing = PublishingRules()
      state.updates = UpdateRules()
      state.requests = RequestRules()
      state.restoring.processEnded()
    }
  }

  /// Delegate methods that have been called have not returned for too long, by another clock than the loop's.
  public func callbacksAreStuck(at now: StackInstant) {
    state.withLock { $0.findings.strikeExpected(.queueBlocked, at: now) }
  }

  /// Judges what should have happened by now.
  public func look(at now: StackInstant) { state.withLock { $0.findings.look(at: now) } }

  /// What was found so far, in its order.
  public var broken: [BrokenRule] { state.withLock { $0.findings.broken } }
}
