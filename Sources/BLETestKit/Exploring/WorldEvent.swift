import BLEFaults

/// What happens to the devices of a world at a time of the world, besides what the test does: drawn from a seed by
/// `World.explore`, or written down for `World.replay`.
///
/// Devices are meant by their names; where several have one name, the first that was made. An event on a device that does not exist
/// at its time has no effect.
public struct WorldEvent: Hashable, Codable, Sendable {
  /// When it begins, since the world's beginning.
  public var time: Duration
  /// What happens.
  public var happening: Happening

  /// An event that begins at `time`.
  public init(time: Duration, happening: Happening) {
    self.time = time
    self.happening = happening
  }

  /// An event that begins at `time`, a time since the world's beginning.
  public static func at(_ time: Duration, _ happening: Happening) -> WorldEvent {
    WorldEvent(time: time, happening: happening)
  }

  /// What holds for the whole world, from its beginning.
  public static func always(_ happening: Happening) -> WorldEvent { WorldEvent(time: .zero, happening: happening) }

  /// When it ends; its beginning, where it has no length.
  public var end: Duration { time + (happening.length ?? .zero) }
}

/// What an event does. A further kind of event is a case here; the compiler then asks for its sentence (`WorldEvent+Words.swift`),
/// its effect (`EventEffects.swift`) and how it is drawn (`EventDrawing.swift`).
public enum Happening: Hashable, Codable, Sendable {
  /// The device moves out of range of all others, and comes back after the length.
  case outOfRange(_ device: String, lasting: Duration)
  /// The device has no power for the length: its radio is silent.
  case powerCut(_ device: String, lasting: Duration)
  /// The user switches Bluetooth of the device off, and on again after the length.
  case bluetoothOff(_ device: String, lasting: Duration)
  /// The hardware of the device's controller fails and recovers.
  case controllerReset(_ device: String)
  /// The process of the device's application is terminated, and its next one starts immediately. Drawn only for devices with programs
  /// of `World.launch`, which are made again.
  case processTermination(_ device: String)
  /// The device's application is in the background for the length. Drawn only for devices with programs of `World.launch`.
  case background(_ device: String, lasting: Duration)
  /// The device loses all keys of the devices that it is bonded with: its user has deleted them, or it was set to its defaults. Drawn
  /// only for devices that are bonded at the end of the world in which nothing happens.
  case bondLoss(_ device: String)
  /// The device has this fault once from the event's time on (`Device.cause`): at the next occurrence of the fault's event, or at once
  /// if its action needs no packet. Drawn only for the kinds in `ExplorationBudget.faults`.
  case fault(Fault, _ device: String)
  /// Packets between two devices are lost with a probability, 0 to 1, each for itself.
  case loss(_ rate: Double, between: String, and: String, lasting: Duration)
  /// The device moves this many metres away from where it is made, and comes back after the length.
  case distance(_ metres: Double, _ device: String, lasting: Duration)
  /// The controller of the device has habits of real controllers that a host has to cope with; from its start, whatever the event's time.
  case quirks(ControllerQuirks, _ device: String)
  /// Calls and callbacks of one instant come in an order that is drawn from the seed, controllers answer commands after a drawn
  /// time, and connections begin up to an interval later; for the whole world, whatever the event's time.
  case variedSchedule
  /// The callbacks of the device's programs come up to 50 ms late, as on a machine that is busy; for the whole world, whatever the
  /// event's time. What comes in the meantime comes with them.
  case lateCallbacks(_ device: String)
  /// The world is in this setting (`World.setting`), unless the test sets another; whatever the event's time. Drawn from `WorldSetting.all`.
  case setting(WorldSetting)

  /// The kinds of what can happen.
  public enum Kind: String, CaseIterable, Hashable, Codable, Sendable {
    /// `Happening.outOfRange`.
    case outOfRange
    /// `Happening.powerCut`.
    case powerCut
    /// `Happening.bluetoothOff`.
    case bluetoothOff
    /// `Happening.controllerReset`.
    case controllerReset
    /// `Happening.processTermination`.
    case processTermination
    /// `Happening.background`.
    case background
    /// `Happening.bondLoss`.
    case bondLoss
    /// `Happening.fault`.
    case fault
    /// `Happening.loss`.
    case loss
    /// `Happening.distance`.
    case distance
    /// `Happening.quirks`.
    case quirks
    /// `Happening.variedSchedule`.
    case variedSchedule
    /// `Happening.lateCallbacks`.
    case lateCallbacks
    /// `Happening.setting`.
    case setting

    /// Whether it holds for a whole world from its start, instead of striking at a time.
    var isCircumstance: Bool { [.quirks, .variedSchedule, .lateCallbacks, .setting].contains(self) }
  }

  /// Its kind.
  public var kind: Kind {
    switch self {
    case .outOfRange: .outOfRange
    case .powerCut: .powerCut
    case .bluetoothOff: .bluetoothOff
    case .controllerReset: .controllerReset
    case .processTermination: .processTermination
    case .background: .background
    case .bondLoss: .bondLoss
    case .fault: .fault
    case .loss: .loss
    case .distance: .distance
    case .quirks: .quirks
    case .variedSchedule: .variedSchedule
    case .lateCallbacks: .lateCallbacks
    case .setting: .setting
    }
  }

  /// The devices that it strikes, by name.
  public var devices: [String] {
    switch self {
    case .outOfRange(let device, _), .powerCut(let device, _), .bluetoothOff(let device, _),
      .controllerReset(let device), .processTermination(let device), .background(let device, _), .bondLoss(let device),
      .fault(_, let device), .distance(_, let device, _), .quirks(_, let device), .lateCallbacks(let device):
      [device]
    case .loss(_, let first, let second, _): [first, second]
    case .variedSchedule, .setting: []
    }
  }

  /// How long it lasts; `nil` for what has no end of its own.
  public var length: Duration? {
    get {
      switch self {
      case .outOfRange(_, let length), .powerCut(_, let length), .bluetoothOff(_, let length),
        .background(_, let length), .loss(_, _, _, let length), .distance(_, _, let length):
        length
      case .controllerReset, .processTermination, .bondLoss, .fault, .quirks, .variedSchedule, .lateCallbacks, .setting:
        nil
      }
    }
    set {
      guard let length = newValue else { return }
      switch self {
      case .outOfRange(let device, _): self = .outOfRange(device, lasting: length)
      case .powerCut(let device, _): self = .powerCut(device, lasting: length)
      case .bluetoothOff(let device, _): self = .bluetoothOff(device, lasting: length)
      case .background(let device, _): self = .background(device, lasting: length)
      case .loss(let rate, let first, let second, _): self = .loss(rate, between: first, and: second, lasting: length)
      case .distance(let metres, let device, _): self = .distance(metres, device, lasting: length)
      case .controllerReset, .processTermination, .bondLoss, .fault, .quirks, .variedSchedule, .lateCallbacks, .setting:
        break
      }
    }
  }
}
