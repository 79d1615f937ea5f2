import BLECore

/// How packets are lost on the path from one radio to another. The link layer retransmits lost packets: on a connection loss
/// appears as delay and, at the limit, as the end of the connection.
public enum LossModel: Sendable, Equatable {
  /// Nothing is lost within range.
  case none
  /// Each packet is lost with this probability, independently of the one before.
  case independent(rate: Double)
  /// Losses come in bursts (the Gilbert-Elliott model).
  case bursts(BurstLoss)
  /// The loss depends on the RSSI.
  case bySignal(SignalLoss)

  /// A typical chip at 1 Mbit/s: nothing is lost above -88 dBm, everything below -98 dBm.
  public static let sensitivity = LossModel.bySignal(SignalLoss(nothingLostAt: -88, everythingLostAt: -98))
}

/// A channel that is good or bad for a while, with a loss rate for each of the two states.
public struct BurstLoss: Sendable, Equatable {
  /// The probability, at each packet, that a good channel becomes bad.
  public var becomesBad: Double
  /// The probability, at each packet, that a bad channel becomes good.
  public var becomesGood: Double
  /// The probability that a packet is lost on a good channel.
  public var rateWhenGood: Double
  /// The probability that a packet is lost on a bad channel.
  public var rateWhenBad: Double

  /// A channel that is good at first; all values are probabilities, 0 to 1.
  public init(becomesBad: Double, becomesGood: Double, rateWhenGood: Double = 0, rateWhenBad: Double = 1) {
    self.becomesBad = becomesBad
    self.becomesGood = becomesGood
    self.rateWhenGood = rateWhenGood
    self.rateWhenBad = rateWhenBad
  }
}

/// Packet error rate by RSSI: 0 at and above one level, 1 at and below another, and a smooth curve in between.
public struct SignalLoss: Sendable, Equatable {
  /// In dBm.
  public var nothingLostAt: Double
  /// In dBm; below the other level.
  public var everythingLostAt: Double

  /// Both levels are in dBm.
  public init(nothingLostAt: Double, everythingLostAt: Double) {
    self.nothingLostAt = nothingLostAt
    self.everythingLostAt = everythingLostAt
  }

  /// The probability that a packet of this RSSI, in dBm, is lost.
  public func rate(at level: Double) -> Double {
    if level >= nothingLostAt { return 0 }
    if !(level > everythingLostAt) { return 1 }
    let part = (nothingLostAt - level) / (nothingLostAt - everythingLostAt)
    return part * part * (3 - 2 * part)
  }
}

/// The current path from one radio to another: recomputed when a radio moves, changes its power or falls silent.
struct AirPath {
  /// No packet arrives.
  var isBlocked = true
  /// The mean RSSI in dBm.
  var level = -127.0
  var jitter = 0.0
  /// The probability that a packet is lost; with bursts, in the current state.
  var rate = 1.0
  var bursts: BurstLoss?
  var isBad = false

  static let blocked = AirPath()

  /// No packet is lost, so no random number is needed.
  var isPerfect: Bool { !isBlocked && rate <= 0 && bursts == nil }

  /// Sends one packet; returns whether it arrives.
  mutating func delivers(_ chance: some EntropySource) -> Bool {
    if isBlocked { return false }
    if let bursts {
      if chance.unit() < (isBad ? bursts.becomesGood : bursts.becomesBad) { isBad.toggle() }
      rate = isBad ? bursts.rateWhenBad : bursts.rateWhenGood
    }
    if rate <= 0 { return true }
    if rate >= 1 { return false }
    return chance.unit() >= rate
  }

  /// The RSSI of one packet in dBm.
  func signal(_ chance: some EntropySource) -> Int8 {
    let value = jitter > 0 ? level + jitter * chance.normal() : level
    return Int8(max(-127, min(20, value.rounded())))
  }
}
