import BLESession

/// Tells a consumer of values which of them it has had, and which are missing. Memory is bounded for each device and in all.
///
/// A value may arrive twice (QoS 1), and values of an earlier epoch may arrive behind those of a later one: a holder that was cut off
/// sends what it has when it is back. Who keeps values in a database needs none of this: a unique key on device and stamp refuses what was
/// there, and sorting by it is the order.
public struct ValueOrder: Sendable {
  /// What a value is.
  public enum Verdict: Hashable, Sendable {
    /// The next one of its epoch, or the first one of a later epoch than any before.
    case next
    /// New, but so many in front of it have not arrived.
    case ahead(missing: Int)
    /// New, and behind later ones: it fills a gap, or belongs to an earlier epoch.
    case late
    /// It was there already.
    case repeated
    /// Too old to be known: it may be new or not.
    case forgotten
  }

  private struct Segment: Sendable {
    let epoch: Int
    let holder: GatewayInstance
    var highest = 0
    /// What is missing below `highest`, in order.
    var missing: [ClosedRange<Int>] = []
    /// Gaps up to here were too many to be kept.
    var floor = 0

    mutating func take(_ sequence: Int) -> Verdict {
      if sequence > highest {
        let first = highest + 1
        highest = sequence
        guard sequence > first else { return .next }
        missing.append(first...sequence - 1)
        if missing.count > ValueOrder.mostGaps { floor = missing.removeFirst().upperBound }
        return .ahead(missing: sequence - first)
      }
      if sequence <= floor { return .forgotten }
      guard let index = missing.firstIndex(where: { $0.contains(sequence) }) else { return .repeated }
      let gap = missing[index]
      var rest: [ClosedRange<Int>] = []
      if gap.lowerBound < sequence { rest.append(gap.lowerBound...sequence - 1) }
      if sequence < gap.upperBound { rest.append(sequence + 1...gap.upperBound) }
      missing.replaceSubrange(index...index, with: rest)
      if missing.count > ValueOrder.mostGaps { floor = missing.removeFirst().upperBound }
      return .late
    }
  }

  /// Gaps of one epoch, and epochs of one device.
  static let mostGaps = 64, mostEpochs = 16
  private let mostDevices: Int
  private var segments: [String: [Segment]] = [:]
  private var recent = RecentNames<String>()

  /// - Parameter mostDevices: of more, those of which nothing has come for the longest time are forgotten; their next value is `next`.
  public init(mostDevices: Int = 100_000) { self.mostDevices = max(1, mostDevices) }

  /// A value has arrived. Sequences below 1 are `forgotten`.
  public mutating func take(_ stamp: ValueStamp, of device: String) -> Verdict {
    guard stamp.sequence >= 1 else { return .forgotten }
    if let oldest = recent.use(device, most: mostDevices) { segments[oldest] = nil }
    return Self.take(stamp, &segments[device, default: []])
  }

  private static func take(_ stamp: ValueStamp, _ known: inout [Segment]) -> Verdict {
    let place = known.firstIndex { ($0.epoch, $0.holder) >= (stamp.epoch, stamp.holder) } ?? known.count
    if place < known.count, known[place].epoch == stamp.epoch, known[place].holder == stamp.holder {
      let verdict = known[place].take(stamp.sequence)
      // What is the next of an earlier epoch is late for the device.
      return verdict == .next && place < known.count - 1 ? .late : verdict
    }
    if place == 0, known.count >= mostEpochs { return .forgotten }
    var segment = Segment(epoch: stamp.epoch, holder: stamp.holder)
    let verdict = segment.take(stamp.sequence)
    known.insert(segment, at: place)
    if known.count > mostEpochs { known.removeFirst() }
    return verdict == .next && place < known.count - 1 ? .late : verdict
  }

  /// How many values of a device are known to be missing.
  public func missing(of device: String) -> Int {
    (segments[device] ?? []).reduce(0) { $0 + $1.missing.reduce(0) { $0 + $1.count } }
  }
}
