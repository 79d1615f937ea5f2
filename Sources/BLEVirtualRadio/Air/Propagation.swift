import BLECore
import Glibc

/// How signals propagate between radios.
public struct Propagation: Sendable, Equatable {
  /// How the RSSI is computed.
  public enum Signal: Sendable, Equatable {
    /// The same RSSI everywhere, in dBm, for tests that compare numbers.
    case constant(rssi: Int8)
    /// Log-distance path loss: `referenceLoss` dB at one metre and 10 · `exponent` dB more with each factor of ten. `shadowing`
    /// is the standard deviation, in dB, of the constant loss by walls between a pair of radios; `jitter` that of each packet
    /// around the mean.
    case pathLoss(exponent: Double, referenceLoss: Double, shadowing: Double, jitter: Double)
  }

  /// How the RSSI is computed.
  public var signal: Signal
  /// The distance in metres beyond which nothing is received; `nil` sets no limit. A limit makes large airs cheap.
  public var range: Double?
  /// The walls between radios, if any. With a constant signal they do not count.
  public var plan: FloorPlan?

  /// - Parameters:
  ///   - range: in metres; `nil` sets no limit.
  ///   - plan: the walls; `nil` for none.
  public init(signal: Signal, range: Double? = nil, plan: FloorPlan? = nil) {
    self.signal = signal
    self.range = range
    self.plan = plan
  }

  /// The minimum distance in metres: at shorter distances antennas do not follow the model.
  private static let nearest = 0.5

  /// A room with people in it: about -40 dBm at one metre, and no reception beyond 100 m.
  public static let indoors = Propagation(
    signal: .pathLoss(exponent: 2.5, referenceLoss: 40, shadowing: 0, jitter: 1.5), range: 100)

  /// Every radio receives every other at -50 dBm.
  public static let constant = Propagation(signal: .constant(rssi: -50))

  /// The mean RSSI in dBm at which `receiver` receives `sender`; `nil` out of range. Equal for equal seeds, and in both
  /// directions if the powers are equal.
  func meanSignal(from sender: Station, to receiver: Station, seed: UInt64) -> Double? {
    let distance = sender.position.distance(to: receiver.position)
    if let range, !(distance <= range) { return nil }
    switch signal {
    case .constant(let rssi): return Double(rssi)
    case .pathLoss(let exponent, let referenceLoss, let shadowing, _):
      var level = Double(sender.transmitPower) - referenceLoss - 10 * exponent * log10(max(distance, Self.nearest))
      level += sender.antennaOffset + receiver.antennaOffset
      if let plan { level -= plan.attenuation(from: sender.position, to: receiver.position) }
      if shadowing != 0 {
        let low = min(sender.identity, receiver.identity)
        let high = max(sender.identity, receiver.identity)
        level += shadowing * SeededEntropy(seed: seed ^ low).fork(high).normal()
      }
      return level
    }
  }

  /// The standard deviation of each packet's RSSI, in dB.
  var jitter: Double {
    guard case .pathLoss(_, _, _, let jitter) = signal else { return 0 }
    return jitter
  }
}

extension EntropySource {
  /// A number with mean 0 and standard deviation 1, between -6 and 6: the sum of twelve uniform ones, which needs no logarithm.
  func normal() -> Double {
    var sum: UInt64 = 0
    for _ in 0..<3 {
      let word = next()
      sum += word & 0xFFFF
      sum += word >> 16 & 0xFFFF
      sum += word >> 32 & 0xFFFF
      sum += word >> 48
    }
    return Double(sum) / 65536 - 6
  }
}
