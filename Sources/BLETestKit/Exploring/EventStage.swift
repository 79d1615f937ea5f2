import BLECore
import BLEVirtualRadio

/// Lets the events of one world begin and end.
///
/// `@unchecked Sendable`: what changes belongs to the world's loop.
final class EventStage: TimerTarget, @unchecked Sendable {
  let events: [WorldEvent]
  private let seed: UInt64
  private weak var world: World?
  /// How many events have the same effect now: it ends with the last of them.
  private var effects: [Effect: Int] = [:]
  private var underWay = 0
  /// The events that have struck.
  private(set) var strikes: [EventStrike] = []
  /// When the latest event began or ended; the world's beginning before the first.
  private(set) var lastChange = StackInstant.zero

  private struct Effect: Hashable {
    let kind: Happening.Kind
    let devices: [String]
  }

  init(events: [WorldEvent], seed: UInt64) {
    self.events = events
    self.seed = seed
  }

  /// Whether an event with a length has begun and not ended.
  var isUnderWay: Bool { underWay > 0 }
  /// When the last event is over.
  var end: Duration { events.map(\.end).max() ?? .zero }

  // MARK: Circumstances

  private var isVaried: Bool { events.contains { $0.happening == .variedSchedule } }
  /// A separate source for each purpose.
  private var chance: SeededEntropy { SeededEntropy(seed: seed).fork(0x7374_6167_65) }

  /// Before the first run of the world's loop.
  func begin(in world: World) {
    self.world = world
    if isVaried {
      world.loop.varyOrder(by: chance.fork(0))
      world.air.variesFirstEvent = true
    }
    for event in events { if case .setting(let setting) = event.happening { world.setting = setting } }
    let loop = world.loop
    loop.submit(from: .common) { [self] in
      for (index, event) in events.enumerated() where !event.happening.kind.isCircumstance {
        loop.schedule(at: .zero + StackDuration(event.time), .background, self, tag: 2 * index)
      }
    }
  }

  /// The controller of a new device.
  func prepare(_ configuration: inout ControllerConfiguration, ofDevice name: String, number: Int) {
    var quirks: ControllerQuirks = []
    for event in events {
      if case .quirks(let some, name) = event.happening { quirks.formUnion(some) }
    }
    if !quirks.isEmpty {
      let name = configuration.name
      configuration = ControllerConfiguration(quirks: quirks)
      configuration.name = name
    }
    if isVaried, !quirks.contains(.slowCommands) {
      // What controllers on a serial line and on USB take.
      configuration.commandDelay = .microseconds(50 + Int64(chance.fork(UInt64(number) + 1).uniform(0..<5_000)))
    }
  }

  /// How late callbacks on a new device are; `nil`: not at all.
  func latency(ofDevice name: String, number: Int) -> CallbackLatency? {
    events.contains { $0.happening == .lateCallbacks(name) }
      ? CallbackLatency(chance.fork(0x6C61_7465 + UInt64(number))) : nil
  }

  // MARK: Events

  func timerFired(tag: Int) {
    let event = events[tag / 2]
    guard let world else { return }
    if tag % 2 == 0 { begin(event, tag: tag, in: world) } else { end(event, in: world) }
    lastChange = world.loop.now
  }

  private func begin(_ event: WorldEvent, tag: Int, in world: World) {
    let effect = Effect(kind: event.happening.kind, devices: event.happening.devices)
    effects[effect, default: 0] += 1
    note(event.happening, in: world)
    event.happening.begin(in: world)
    world.mark(.fault, "\(event)", device: event.happening.devices.count == 1 ? event.happening.devices.first : nil)
    guard let length = event.happening.length else { return }
    underWay += 1
    world.loop.schedule(after: StackDuration(length), .background, self, tag: tag + 1)
  }

  private func note(_ happening: Happening, in world: World) {
    let struck = happening.devices.compactMap { name in world.allDevices.first { $0.name == name } }
    guard !struck.isEmpty else { return }
    var activities: Set<DeviceActivity> = []
    var procedures: Set<UInt8> = []
    for device in struck {
      activities.formUnion(DeviceActivity.all(of: device.stack.standing))
      procedures.formUnion(device.radio.value.procedures?.pending ?? [])
    }
    strikes.append(
      EventStrike(
        kind: happening.column, activities: DeviceActivity.allCases.filter(activities.contains),
        procedures: procedures.sorted()))
  }

  private func end(_ event: WorldEvent, in world: World) {
    let effect = Effect(kind: event.happening.kind, devices: event.happening.devices)
    underWay -= 1
    let left = effects[effect, default: 1] - 1
    effects[effect] = left
    if left == 0 { event.happening.end(in: world) }
  }
}
