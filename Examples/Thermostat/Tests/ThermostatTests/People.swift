#if canImport(BLETestKit)
  import BLETestKit
  import Foundation
  import Thermostat

  /// How much the people of a home do by themselves.
  enum Hands {
    /// They choose the thermostat, and nothing else.
    case still
    /// They set targets, turn the knob, lock it and install firmware, at times drawn from the world's seed.
    case busy
  }

  /// The people of a home, who look at the app and at the thermostat once in a while.
  ///
  /// `@unchecked Sendable`: what changes is used on its queue only, which is idle while the test looks at the home.
  final class People: @unchecked Sendable {
    static let image = Data((0..<1_300).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) })
    /// When they go to bed.
    static let evening = Duration.seconds(75)

    private let queue = DispatchQueue(label: "people")
    private let app: LaunchedProgram<App>
    private let hall: SimulatedThermostat
    private let memory: Memory
    private let clock: WorldClock
    private let hands: Hands
    private var chance: Chance

    init(
      app: LaunchedProgram<App>, hall: SimulatedThermostat, memory: Memory, clock: WorldClock, seed: UInt64,
      hands: Hands
    ) {
      (self.app, self.hall, self.memory, self.clock, self.hands) = (app, hall, memory, clock, hands)
      chance = Chance(seed: seed)
    }

    func begin() { later(.milliseconds(500)) { $0.look() } }

    private func later(_ delay: Duration, _ action: @escaping @Sendable (People) -> Void) {
      _ = clock.schedule(after: delay, on: queue) { [weak self] in if let self { action(self) } }
    }

    /// Somebody looks for the thermostat in the hall, and chooses it.
    private func look() {
      let app = app.current
      if memory.thermostat == nil {
        if let hall = app.offered["hall"] { app.session.choose(hall) } else { app.session.look() }
        return later(.seconds(2)) { $0.look() }
      }
      if hands == .busy {
        useApp()
        turnKnob()
      }
    }

    private func useApp() {
      guard clock.now < Self.evening else { return }
      let app = app.current
      if chance.next(below: 6) == 0 {
        app.setChildLock(chance.next(below: 2) == 0)
      } else {
        app.setTarget(drawTarget())
      }
      if memory.askedFor == nil, clock.now > .seconds(20) { app.session.install(Self.image) }
      later(drawPause()) { $0.useApp() }
    }

    private func turnKnob() {
      guard clock.now < Self.evening else { return }
      hall.turnKnob(to: drawTarget())
      later(drawPause()) { $0.turnKnob() }
    }

    private func drawTarget() -> Int16 { 1_500 + 50 * Int16(chance.next(below: 20)) }
    private func drawPause() -> Duration { .milliseconds(300 + 10 * Int64(chance.next(below: 1_200))) }
  }

  /// Numbers that are the same for the same seed on each machine (SplitMix64).
  struct Chance {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next(below limit: UInt64) -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return (mixed ^ mixed >> 31) % limit
    }
  }
#endif
