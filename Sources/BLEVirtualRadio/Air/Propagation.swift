import BLECore
import Glibc

/// How strongly radios hear each other.
public struct Propagation: Sendable, Equatable {
  /// How the strength of a signal comes about.
  public enum Signal: Sendable, Equatable {
    /// The same RSSI everywhere, for tests that compare numbers. In dBm.
    case constant(rssi: Int8)
    /// Log-distance path loss: `referenceLoss` dB at one metre and 10 · `exponent` dB more with each factor of ten.
    /// `shadowing` is the standard deviation, in dB, of what walls do to a pair of radios for good; `jitter` that of each
    /// packet around the mean.
    case pathLoss(exponent: Double, referenceLoss: Double, shadowing: Double, jitter: Double)
  }

  /// How the strength of a signal comes about.
  public var signal: Signal
  /// Beyond so many metres nothing is heard at all; `nil` sets no limit. A limit makes large airs cheap.
  public var range: Double?

  /// - Parameter range: in metres; `nil` sets no limit.
  public init(signal: Signal, range: Double? = nil) {
    self.signal = signal
    self.range = range
  }

  /// Nobody is nearer than so many metres: closer by, antennas do not follow the model.
  private static let nearest = 0.5

  /// A room with people in it: about -40 dBm at one metre and nothing beyond 100 m.
  public static let indoors = Propagation(
    signal: .pathLoss(exponent: 2.5, referenceLoss: 40, shadowing: 0, jitter: 1.5), range: 100)

  /// Every radio hears every other at -50 dBm.
  public static let constant = Propagation(signal: .constant(rssi: -50))

  /// The mean RSSI in dBm at which `receiver` hears `sender`; `nil` out of range. The same for a seed, in both directions
  /// where the powers are the same.
  func meanSignal(from sender: Station, to receiver: Station, seed: UInt64) -> Double? {
    let distance = sender.position.distance(to: receiver.position)
    if let range, !(distance <= range) { return nil }
    switch signal {
    case .constant(let rssi): return Double(rssi)
    case .pathLoss(let exponent, let referenceLoss, let shadowing, _):
      var level = Double(sender.transmitPower) - referenceLoss - 10 * exponent * log10(max(distance, Self.nearest))
      level += sender.antennaOffset + receiver.antennaOffset
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
  /// A number around 0 with standard deviation 1, between -6 and 6: the sum of twelve flat ones, which needs no logarithm.
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
