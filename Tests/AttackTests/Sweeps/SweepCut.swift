import BLETestKit

/// How a link ends during an operation.
enum SweepCut: String, CaseIterable, Sendable {
  /// The sensor's battery is removed: the phone notices when the supervision time-out has expired.
  case sensorVanishes
  /// The sensor ends the link properly, by switching Bluetooth off.
  case sensorIsSwitchedOff
  /// The sensor's process is killed.
  case sensorDies
  /// The sensor's controller fails and comes back.
  case sensorsControllerFails
  /// The phone's program disconnects.
  case phoneLeaves
  case phoneIsSwitchedOff
  case phoneDies
  case phonesControllerFails

  func make(on scene: SweepScene) {
    switch self {
    case .sensorVanishes: scene.sensor.cutPower()
    case .sensorIsSwitchedOff: scene.sensor.powerOff()
    case .sensorDies: scene.sensor.terminateProcess()
    case .sensorsControllerFails: scene.sensor.resetController()
    case .phoneLeaves: scene.central.leave()
    case .phoneIsSwitchedOff: scene.phone.powerOff()
    case .phoneDies: scene.phone.terminateProcess()
    case .phonesControllerFails: scene.phone.resetController()
    }
  }

  func undo(on scene: SweepScene) {
    switch self {
    case .sensorVanishes: scene.sensor.restorePower()
    case .sensorIsSwitchedOff: scene.sensor.powerOn()
    case .sensorDies: scene.restartPeripheral()
    case .phoneIsSwitchedOff: scene.phone.powerOn()
    case .sensorsControllerFails, .phoneLeaves, .phoneDies, .phonesControllerFails: break
    }
  }
}
