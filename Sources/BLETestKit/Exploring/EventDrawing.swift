import BLECore
import BLEFaults

/// A device as it is at the end of the world in which nothing happens: what can strike it.
struct ExploredDevice: Codable, Sendable {
  let name: String
  /// Whether it has programs of `World.launch`.
  let hasLaunchedPrograms: Bool
  let hasBonds: Bool
}

/// Draws the events of a world from its seed.
struct EventDrawing {
  let budget: ExplorationBudget
  /// The devices that can be struck, in the order of their making.
  private let found: [ExploredDevice]
  private let devices: [String]

  init(budget: ExplorationBudget, devices: [ExploredDevice]) {
    self.budget = budget
    var seen: Set<String> = []
    found = devices.filter { device in
      seen.insert(device.name).inserted && budget.devices.map { $0.contains(device.name) } ?? true
    }
    self.devices = found.map(\.name)
  }

  /// The kinds that strike at a time and are possible with these devices, in a fixed order.
  private var strikes: [Happening.Kind] {
    Happening.Kind.allCases.filter { kind in
      budget.kinds.contains(kind) && !kind.isCircumstance && !candidates(kind).isEmpty
    }
  }

  /// The devices that an event of this kind can strike.
  private func candidates(_ kind: Happening.Kind) -> [String] {
    switch kind {
    case .processTermination, .background: found.filter(\.hasLaunchedPrograms).map(\.name)
    case .bondLoss: found.filter(\.hasBonds).map(\.name)
    case .fault: budget.faults.isEmpty ? [] : devices
    case .loss: devices.count > 1 ? devices : []
    default: devices
    }
  }

  /// The same events for the same seed: circumstances first, then the others in the order of their times.
  func events(seed: UInt64) -> [WorldEvent] {
    // Apart from the numbers of the world's devices and its air.
    let chance = SeededEntropy(seed: seed).fork(0x6576_656E_7473)
    var circumstances: [WorldEvent] = []
    if budget.kinds.contains(.variedSchedule), chance.uniform(0..<2) == 0 {
      circumstances.append(.always(.variedSchedule))
    }
    if budget.kinds.contains(.setting) { circumstances.append(.always(.setting(chance.pick(WorldSetting.all)))) }
    if budget.kinds.contains(.quirks) {
      for device in devices where chance.uniform(0..<8) == 0 {
        circumstances.append(.always(.quirks(chance.pick(ControllerQuirks.known).quirk, device)))
      }
    }
    if budget.kinds.contains(.lateCallbacks) {
      for device in devices where chance.uniform(0..<4) == 0 { circumstances.append(.always(.lateCallbacks(device))) }
    }
    let kinds = strikes
    guard !devices.isEmpty, !kinds.isEmpty else { return circumstances }
    let least = max(0, budget.events.lowerBound)
    let count = least + Int(chance.uniform(0..<UInt64(max(least, budget.events.upperBound) - least) + 1))
    let events = (0..<count).map { _ in
      WorldEvent(time: time(chance), happening: happening(chance.pick(kinds), chance))
    }
    return circumstances + events.sorted { $0.time < $1.time }
  }

  private func happening(_ kind: Happening.Kind, _ chance: SeededEntropy) -> Happening {
    let device = chance.pick(candidates(kind))
    switch kind {
    case .outOfRange: return .outOfRange(device, lasting: length(chance))
    case .powerCut: return .powerCut(device, lasting: length(chance))
    case .bluetoothOff: return .bluetoothOff(device, lasting: length(chance))
    case .controllerReset: return .controllerReset(device)
    case .processTermination: return .processTermination(device)
    case .background: return .background(device, lasting: length(chance))
    case .bondLoss: return .bondLoss(device)
    case .fault: return .fault(fault(chance), device)
    case .loss:
      let other = chance.pick(devices.filter { $0 != device })
      // From what only delays to what ends links.
      let rate = Double(5 + chance.uniform(0..<19) * 5) / 100
      return .loss(rate, between: device, and: other, lasting: length(chance))
    case .distance: return .distance(Double(5 + chance.uniform(0..<96)), device, lasting: length(chance))
    case .quirks: return .quirks(chance.pick(ControllerQuirks.known).quirk, device)
    case .variedSchedule: return .variedSchedule
    case .lateCallbacks: return .lateCallbacks(device)
    case .setting: return .setting(chance.pick(WorldSetting.all))
    }
  }

  /// It strikes once, so its trigger needs no number.
  private func fault(_ chance: SeededEntropy) -> Fault {
    let kinds = FaultAction.Kind.allCases.filter { budget.faults.contains($0) }
    let drawn = Fault.drawn(chance.pick(kinds), by: chance)
    return drawn.action.needsPacket ? .at(drawn.trigger.event, drawn.action) : .at(.time(.zero), drawn.action)
  }

  private func time(_ chance: SeededEntropy) -> Duration {
    let first = WorldEvent.milliseconds(budget.period.lowerBound)
    let span = WorldEvent.milliseconds(budget.period.upperBound) - first
    return .milliseconds(first + Int64(chance.uniform(0..<UInt64(span) + 1)))
  }

  /// Doublings of the shortest length are drawn evenly, then the rest between them: without a logarithm, whose last digit may
  /// differ between machines.
  private func length(_ chance: SeededEntropy) -> Duration {
    let shortest = max(1, WorldEvent.milliseconds(budget.lengths.lowerBound))
    let longest = max(shortest, WorldEvent.milliseconds(budget.lengths.upperBound))
    let doublings = UInt64(64 - (longest / shortest).leadingZeroBitCount)
    let low = shortest << Int64(chance.uniform(0..<doublings))
    let high = min(longest, low > longest / 2 ? longest : 2 * low)
    return .milliseconds(low + Int64(chance.uniform(0..<UInt64(max(0, high - low)) + 1)))
  }
}

extension SeededEntropy {
  /// One of the elements of an array that is not empty.
  fileprivate func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(uniform(0..<UInt64(elements.count)))]
  }
}
