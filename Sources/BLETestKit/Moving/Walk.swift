import BLEVirtualRadio

/// A way through a world in its time: straight lines at constant speeds, and pauses.
public struct Walk: Hashable, Sendable {
  /// A part of a walk.
  public enum Part: Hashable, Sendable {
    /// In a straight line to a position, in metres per second. People walk at some 1.4 m/s.
    case to(Position, speed: Double)
    /// Standing still.
    case pause(Duration)
  }

  /// One part with its place in time, seconds since the walk's beginning.
  private struct Leg: Hashable {
    let begin: Double
    let end: Double
    let from: Position
    let to: Position
  }

  /// The maximum number of parts.
  public static let partLimit = 10_000
  /// The maximum duration in seconds: a week.
  private static let longest = 604_800.0

  /// Where it begins.
  public let start: Position
  private let legs: [Leg]

  /// A walk that begins at `start`.
  public init(from start: Position, _ parts: [Part]) throws(AirDescriptionError) {
    try start.check("start of the walk")
    guard parts.count <= Self.partLimit else {
      throw AirDescriptionError("walk", found: "\(parts.count) parts", expected: "at most \(Self.partLimit)")
    }
    var legs: [Leg] = []
    var (time, position) = (0.0, start)
    for (index, part) in parts.enumerated() {
      let place = "part \(index + 1) of the walk"
      var end = time
      var next = position
      switch part {
      case .to(let goal, let speed):
        try goal.check(place)
        guard speed.isFinite, speed > 0, speed <= 1_000 else {
          throw AirDescriptionError(place, found: "a speed of \(speed) m/s", expected: "more than 0, at most 1000 m/s")
        }
        end += position.distance(to: goal) / speed
        next = goal
      case .pause(let length):
        guard length >= .zero else {
          throw AirDescriptionError(place, found: "a pause of \(length)", expected: "a pause of 0 s or more")
        }
        end += length / .seconds(1)
      }
      guard end <= Self.longest else {
        throw AirDescriptionError(place, found: "an end after \(end) s", expected: "an end within a week, 604800 s")
      }
      legs.append(Leg(begin: time, end: end, from: position, to: next))
      (time, position) = (end, next)
    }
    self.start = start
    self.legs = legs
  }

  /// How long it takes.
  public var duration: Duration { .seconds(legs.last?.end ?? 0) }
  /// Where it ends.
  public var end: Position { legs.last?.to ?? start }

  /// The position at a time since its beginning; after its end where it ends.
  public func position(at time: Duration) -> Position {
    let seconds = time / .seconds(1)
    // The first part that is not over.
    var (low, high) = (0, legs.count)
    while low < high {
      let middle = (low + high) / 2
      if legs[middle].end <= seconds { low = middle + 1 } else { high = middle }
    }
    guard low < legs.count else { return end }
    let leg = legs[low]
    guard seconds > leg.begin, leg.end > leg.begin else { return leg.from }
    let share = (seconds - leg.begin) / (leg.end - leg.begin)
    return Position(
      x: leg.from.x + (leg.to.x - leg.from.x) * share, y: leg.from.y + (leg.to.y - leg.from.y) * share,
      z: leg.from.z + (leg.to.z - leg.from.z) * share)
  }
}
