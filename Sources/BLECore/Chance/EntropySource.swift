/// A source of random numbers. Injected everywhere: no code of the stack uses the system's generator directly.
///
/// Used on one loop only; a source need not be safe to share between threads.
public protocol EntropySource: AnyObject {
  func next() -> UInt64
}

extension EntropySource {
  /// A number of `range`, uniformly distributed.
  public func uniform(_ range: Range<UInt64>) -> UInt64 {
    let span = range.upperBound - range.lowerBound
    // Rejection keeps the distribution uniform: the incomplete last multiple of `span` is discarded.
    let limit = UInt64.max - (UInt64.max % span + 1) % span
    while true {
      let value = next()
      if value <= limit { return range.lowerBound + value % span }
    }
  }

  /// A number in 0 ..< 1, uniformly distributed.
  public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  public func octets(_ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    while result.count < count {
      var word = next()
      for _ in 0..<min(8, count - result.count) {
        result.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    return result
  }
}

/// The system's generator.
public final class SystemEntropy: EntropySource {
  private var generator = SystemRandomNumberGenerator()
  public init() {}
  public func next() -> UInt64 { generator.next() }
}

/// The same numbers for the same seed, for simulation and tests (SplitMix64).
///
/// It cannot be used by a stack on a real transport: keys made from it could be guessed.
public final class SeededEntropy: EntropySource {
  public let seed: UInt64
  private var state: UInt64

  public init(seed: UInt64) {
    self.seed = seed
    self.state = seed
  }

  public func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A separate generator for one part of a simulation, so that the numbers of one part do not depend on the others.
  public func fork(_ name: UInt64) -> SeededEntropy {
    SeededEntropy(seed: SeededEntropy(seed: seed ^ name &* 0xD6E8_FEB8_6659_FD93).next())
  }
}
