import BLEAdapter
import BLECore

/// What an app may do in the background.
struct BackgroundRules {
  /// The time that an app has after an event.
  private static let time = StackDuration.seconds(10)

  mutating func see(_ event: ProgramEvent, _ scene: inout RuleScene, _ findings: inout RuleFindings) {
    if event.isCall("init(delegate:queue:options:)") { judge(new: event, scene, &findings) }
    guard scene.isInBackground else { return }
    switch event.kind {
    case .call where !event.isSettingUp:
      if event.time - scene.lastEvent > Self.time {
        findings.strike(
          .workAfterSuspension, event, "\(event.name) in the background, more than 10 s after the last event")
      }
    case .callback:
      scene.lastEvent = event.time
      guard let modes = scene.information?.backgroundModes, !modes.contains(Self.mode(event.manager.role)) else {
        return
      }
      findings.strike(
        event.manager.role == .central ? .noCentralMode : .noPeripheralMode, event,
        "\(event.name) in the background, and UIBackgroundModes has no \(Self.mode(event.manager.role))")
    default: return
    }
  }

  private func judge(new event: ProgramEvent, _ scene: RuleScene, _ findings: inout RuleFindings) {
    guard let modes = scene.information?.backgroundModes, modes.contains(Self.mode(event.manager.role)),
      event.restoreIdentifier == nil
    else { return }
    findings.strike(
      .modeWithoutRestoration, event,
      "a \(event.manager.role.rawValue) manager without a restore identifier, and the app has the background mode")
  }

  private static func mode(_ role: ProgramManager.Role) -> String { "bluetooth-\(role.rawValue)" }
}

extension ProgramEvent {
  /// The restore identifier of a manager that is being made.
  var restoreIdentifier: String? { argument("kCBInitOptionRestoreIdentifier") }
}
