import BLEVirtualRadio
import Synchronization

extension World {
  /// A world in a setting.
  public convenience init(seed: UInt64? = nil, setting: WorldSetting, keepsPackets: Bool = true) {
    self.init(seed: seed, keepsPackets: keepsPackets)
    self.setting = setting
  }

  /// Where the world is; `nil` at first. Setting it replaces propagation, walls and interferers by those of the setting and the crowd
  /// of the former setting by its own; devices that were given no position are placed, and all are held as there. `nil` makes it a
  /// room in which nothing is in the way; the devices stay where they are.
  public var setting: WorldSetting? {
    get { surroundings.withLock { $0.setting } }
    set {
      let former = surroundings.withLock { surroundings in
        surroundings.setting = newValue
        defer { surroundings.crowd = nil }
        return surroundings.crowd
      }
      former?.leave()
      propagation = newValue?.propagation ?? .indoors
      interference = newValue?.interference ?? []
      guard let setting = newValue else { return }
      let crowd = setting.crowd > 0 ? try? makeCrowd(setting.crowd, reach: WorldSetting.crowdReach) : nil
      surroundings.withLock { $0.crowd = crowd }
      for (number, device) in allDevices.enumerated() { device.onLoop { $0.enter(setting, number: number) } }
    }
  }
}

extension DeviceRadio {
  /// On the loop.
  func enter(_ setting: WorldSetting, number: Int) {
    let place = setting.place(ofDevice: number)
    if !isPlaced { position = place.position }
    motion.carry(place.carrying)
    if setting.sharesRadioTime { shareTime() }
  }
}
