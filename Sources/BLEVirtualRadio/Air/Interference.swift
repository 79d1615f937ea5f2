import BLECore

/// The interferers of an air: whether one of them spoils a packet.
final class Interference {
  /// How far above the interference a signal has to be, in dB: nothing is lost with 14 dB, everything with 9 dB or less.
  static let rejection = SignalLoss(nothingLostAt: 14, everythingLostAt: 9)

  private let sources: [InterferenceSource]
  private let seed: UInt64

  init(_ interferers: [Interferer], seed: UInt64) {
    self.seed = seed
    let chance = SeededEntropy(seed: seed).fork(0x6E_6F69_7365)
    sources = interferers.enumerated().map { InterferenceSource($1, chance.fork(UInt64($0) + 1)) }
  }

  /// Whether a packet of this RSSI, in dBm, is lost at `receiver`.
  func spoils(
    channel: UInt8, from start: StackInstant, lasting duration: StackDuration, level: Double, at receiver: Station,
    _ propagation: Propagation
  ) -> Bool {
    var isSpoiled = false
    for source in sources where source.interferer.channels >> UInt64(channel) & 1 == 1 {
      // Each source is asked, so that the state of one does not depend on the others.
      guard source.sends(from: start, lasting: duration) else { continue }
      isSpoiled = source.drowns(level, at: receiver, propagation, seed) || isSpoiled
    }
    return isSpoiled
  }
}

/// One interferer and its state.
private final class InterferenceSource {
  let interferer: Interferer
  private let chance: SeededEntropy
  private let station: Station?
  /// A slot of the model of bursts.
  private static let slot = StackDuration.microseconds(250)
  private var chain: TwoStateChain?
  private var lastSlot: Int64 = 0
  /// Of a periodic one: when its first period begins.
  private let phase: StackDuration

  init(_ interferer: Interferer, _ chance: SeededEntropy) {
    self.interferer = interferer
    self.chance = chance
    station = interferer.position.map {
      Station(identity: chance.seed, position: $0, transmitPower: interferer.power)
    }
    switch interferer.activity {
    case .bursts(let load, let burst):
      phase = .zero
      chain = TwoStateChain(share: load, stay: Double(max(1, burst / Self.slot)), chance)
    case .periodic(_, let period):
      phase = .nanoseconds(Int64(chance.uniform(0..<UInt64(max(1, period.nanoseconds)))))
    }
  }

  func sends(from start: StackInstant, lasting duration: StackDuration) -> Bool {
    let begin = start - StackInstant.zero
    if case .periodic(let on, let period) = interferer.activity {
      let passed = (begin + phase).nanoseconds % max(1, period.nanoseconds)
      return passed < on.nanoseconds || passed &+ duration.nanoseconds > period.nanoseconds
    }
    let first = begin / Self.slot
    let last = (begin + duration) / Self.slot
    for slot in first...max(first, last) {
      chain?.pass(slot - lastSlot, chance)
      lastSlot = slot
      if chain?.isOn == true { return true }
    }
    return false
  }

  /// Whether it is strong enough to make a signal unreadable.
  func drowns(_ level: Double, at receiver: Station, _ propagation: Propagation, _ seed: UInt64) -> Bool {
    guard let station else { return true }
    guard let noise = propagation.meanSignal(from: station, to: receiver, seed: seed) else { return false }
    let rate = Interference.rejection.rate(at: level - noise)
    return rate >= 1 || rate > 0 && chance.unit() < rate
  }
}

/// Two states without memory, looked at only when somebody asks: the probability after any number of steps is computed by
/// multiplications alone, which are the same on every machine.
struct TwoStateChain {
  private(set) var isOn: Bool
  /// The share of the time in which it is on.
  private let share: Double
  /// By how much one step keeps of the difference from the share.
  private let memory: Double

  /// - Parameter stay: the mean number of steps for which it is on.
  init(share: Double, stay: Double, _ chance: some EntropySource) {
    let share = share.isNaN ? 0 : max(0, min(1, share))
    self.share = share
    let leaves = 1 / max(1, stay)
    memory = share < 1 ? max(0, 1 - leaves - leaves * share / (1 - share)) : 0
    isOn = chance.unit() < share
  }

  /// Passes a number of steps. Such a chain is the same backwards, so that a negative number is one of steps back.
  mutating func pass(_ steps: Int64, _ chance: some EntropySource) {
    if steps == 0 { return }
    let difference = (isOn ? 1 : 0) - share
    isOn = chance.unit() < share + difference * memory.power(steps.magnitude)
  }
}

extension Double {
  /// This number to a natural power, by squaring.
  func power(_ exponent: UInt64) -> Double {
    var (result, factor, rest) = (1.0, self, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result *= factor }
      factor *= factor
      rest >>= 1
    }
    return result
  }
}
