import BLEFaults

/// What may happen in the worlds of an exploration, and how far one world may go.
public struct ExplorationBudget: Sendable {
  /// How many events strike in one world: 1 to 4. Circumstances (`quirks`, `variedSchedule`) come on top of it.
  public var events = 1...4
  /// The kinds of events: all but `quirks`, with which links may not come up at all, `lateCallbacks` and `setting`. `processTermination` and `background` strike
  /// devices with programs of `World.launch` only, `bondLoss` devices with bonds.
  public var kinds = Set(Happening.Kind.allCases).subtracting([.quirks, .lateCallbacks, .setting])
  /// The kinds of faults of devices that strike (`Happening.fault`); none, because most are those of broken devices. Each is an event in
  /// the same way as the others.
  public var faults: Set<FaultAction.Kind> = []
  /// The names of the devices that are struck; `nil` for all.
  public var devices: Set<String>?
  /// When events begin, since a world's beginning: in the first 60 s.
  public var period: ClosedRange<Duration> = .zero ... .seconds(60)
  /// How long an event lasts: 0.1 to 60 s. Short ones are drawn as often as long ones: as many up to one second as from one to ten.
  public var lengths: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)
  /// A body that has not ended by this time of its world is a failure: an hour.
  public var timeLimit = Duration.seconds(3_600)
  /// A body during which the clock stood still more often than this is a failure: 2,000,000 times.
  public var stepLimit = 2_000_000
  /// Where worlds run: in processes of their own.
  public var isolation = ExplorationIsolation.processes
  /// A body that has used this much processor time without an end is a failure, where worlds run in processes of their own: 60 s.
  public var processorTimeLimit = Duration.seconds(60)
  /// A body in whose world the process grows by more octets than this is a failure, where worlds run in processes of their own: 512 MiB.
  public var memoryLimit = 512 << 20
  /// If worlds leave behind more octets than this on average, `explore` records a warning: 32 KiB.
  public var memoryLeftBehindLimit = 32 << 10
  /// How many worlds run at a time; `nil`: as many as there are processors.
  package var parallelWorlds: Int?
  /// How many worlds are tried to make a failure smaller: 300.
  public var shrinkLimit = 300

  /// All kinds of events but `quirks`, `lateCallbacks`, `setting` and faults, on all devices.
  public init() {}
}
