import BLEVirtualRadio

/// An RSSI that was recorded between two devices, to be replayed.
public struct RSSITrace: Hashable, Sendable {
  /// One measured value; it holds until the next.
  public struct Sample: Hashable, Sendable {
    /// Since the beginning of the trace.
    public var time: Duration
    /// In dBm, -127 to 20.
    public var level: Double

    /// A value in dBm at a time since the beginning.
    public init(_ time: Duration, _ level: Double) {
      self.time = time
      self.level = level
    }
  }

  /// What follows the last sample.
  public enum Ending: Hashable, Sendable {
    /// The trace begins again. The last sample holds as long as the one before it did.
    case repeats
    /// From then on the RSSI follows from distance and walls. The last sample holds as long as the one before it did.
    case ends
    /// The last sample holds for good.
    case holds
  }

  /// The maximum number of samples.
  public static let sampleLimit = 1_000_000

  /// At least one, at rising times.
  public let samples: [Sample]

  /// A trace of at least one sample, at rising times. The time of the first is the beginning.
  public init(_ samples: [Sample]) throws(AirDescriptionError) {
    guard let first = samples.first else {
      throw AirDescriptionError("trace", found: "no sample", expected: "at least one")
    }
    guard samples.count <= Self.sampleLimit else {
      throw AirDescriptionError("trace", found: "\(samples.count) samples", expected: "at most \(Self.sampleLimit)")
    }
    var last: Duration?
    for (index, sample) in samples.enumerated() {
      let place = "sample \(index + 1)"
      try Self.check(sample.level, place)
      if let last, sample.time <= last {
        throw AirDescriptionError(place, found: "the time \(sample.time)", expected: "a time after \(last)")
      }
      guard sample.time - first.time <= .seconds(1_000_000_000) else {
        throw AirDescriptionError(place, found: "the time \(sample.time)", expected: "a time within 1e9 s of the first")
      }
      last = sample.time
    }
    self.samples = samples.map { Sample($0.time - first.time, $0.level) }
  }

  /// A trace of values at a fixed distance in time.
  public init(every interval: Duration, _ levels: [Double]) throws(AirDescriptionError) {
    guard interval > .zero else {
      throw AirDescriptionError("trace", found: "an interval of \(interval)", expected: "more than 0 s")
    }
    try self.init(levels.enumerated().map { Sample(interval * $0, $1) })
  }

  /// How long it is, with the last sample as long as the one before it.
  public var duration: Duration {
    guard let last = samples.last, samples.count > 1 else { return .seconds(1) }
    return last.time + (last.time - samples[samples.count - 2].time)
  }

  static func check(_ level: Double, _ place: String) throws(AirDescriptionError) {
    guard level >= -127, level <= 20 else {
      throw AirDescriptionError(place, found: "an RSSI of \(level)", expected: "-127 to 20 dBm")
    }
  }
}
