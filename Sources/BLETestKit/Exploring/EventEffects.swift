import BLEVirtualRadio

// What an event does to the devices of a world: the verbs that a test has too.

extension Happening {
  /// On the loop. Without effect where the device does not exist.
  func begin(in world: World) {
    switch self {
    case .outOfRange(let name, _): world.device(named: name)?.moveAway()
    case .powerCut(let name, _): world.device(named: name)?.cutPower()
    case .bluetoothOff(let name, _): world.device(named: name)?.powerOff()
    case .controllerReset(let name): world.device(named: name)?.resetController()
    case .processTermination(let name): world.device(named: name)?.terminateProcess()
    case .background(let name, _): world.device(named: name)?.enterBackground()
    case .bondLoss(let name): world.device(named: name)?.forgetBonds()
    case .fault(let fault, let name): world.device(named: name)?.cause(fault)
    case .loss(let rate, let first, let second, _): setLoss(.independent(rate: rate), first, second, in: world)
    case .distance(let metres, let name, _): world.device(named: name)?.setDetour(metres)
    case .quirks, .variedSchedule, .lateCallbacks, .setting: break
    }
  }

  /// On the loop, when the last of the events that do the same has ended.
  func end(in world: World) {
    switch self {
    case .outOfRange(let name, _): world.device(named: name)?.comeBack()
    case .powerCut(let name, _): world.device(named: name)?.restorePower()
    case .bluetoothOff(let name, _): world.device(named: name)?.powerOn()
    case .background(let name, _): world.device(named: name)?.enterForeground()
    case .loss(_, let first, let second, _): setLoss(nil, first, second, in: world)
    case .distance(_, let name, _): world.device(named: name)?.setDetour(0)
    case .controllerReset, .processTermination, .bondLoss, .fault, .quirks, .variedSchedule, .lateCallbacks, .setting:
      break
    }
  }

  private func setLoss(_ model: LossModel?, _ first: String, _ second: String, in world: World) {
    guard let one = world.device(named: first), let other = world.device(named: second) else { return }
    world.setLoss(model, between: one, and: other)
  }
}

extension World {
  fileprivate func device(named name: String) -> Device? { allDevices.first { $0.name == name } }
}

extension Device {
  fileprivate func setDetour(_ metres: Double) { onLoop { $0.detour = metres } }
}
