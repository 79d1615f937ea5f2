/// What a wall is made of, with the loss of a signal of 2.44 GHz that passes through it once. `Docs/radio.md` names the sources.
public enum WallMaterial: CaseIterable, Sendable {
  /// A light partition that does not bear load, as of plasterboard on studs.
  case plasterboard
  /// One pane of uncoated glass, 6 mm.
  case glass
  /// A brick wall of 24 cm.
  case brick
  /// A concrete wall of 20 cm.
  case concrete
  /// Glass with a metal coating, or sheet metal.
  case metal

  /// In dB.
  public var attenuation: Double {
    switch self {
    case .plasterboard: 3.4
    case .glass: 1.9
    case .brick: 6.4
    case .concrete: 14.8
    case .metal: 30
    }
  }
}

/// A wall as a plan shows it: a straight line, as high as the building, that weakens what passes through it.
public struct Wall: Hashable, Sendable {
  /// One end; its height is not used.
  public var start: Position
  /// The other end; its height is not used.
  public var end: Position
  /// The loss of a signal that passes through it, in dB.
  public var attenuation: Double

  /// A wall with a loss of 0 to 200 dB.
  public init(from start: Position, to end: Position, attenuation: Double) {
    self.start = start
    self.end = end
    self.attenuation = attenuation
  }

  /// A wall of a material.
  public init(from start: Position, to end: Position, _ material: WallMaterial) {
    self.init(from: start, to: end, attenuation: material.attenuation)
  }

  /// Whether the line between two positions passes through it. A line through the point where two walls meet passes through
  /// exactly one of them. The answer is the same in both directions if `first` and `second` are in a fixed order.
  func isCrossed(by first: Position, _ second: Position) -> Bool {
    let begins = Self.side(of: start, first, second) >= 0
    let ends = Self.side(of: end, first, second) >= 0
    guard begins != ends else { return false }
    return (Self.side(of: first, start, end) > 0) != (Self.side(of: second, start, end) > 0)
  }

  /// Positive on the left of the line from one position to another.
  private static func side(of point: Position, _ from: Position, _ to: Position) -> Double {
    (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
  }
}

/// The walls around the radios. The losses of all walls between two radios add up (the multi-wall model of COST 231), in dB.
public struct FloorPlan: Sendable, Equatable {
  /// The maximum number of walls.
  public static let wallLimit = 10_000

  /// The walls.
  public let walls: [Wall]
  private let grid: WallGrid

  /// A plan of at most `wallLimit` walls.
  public init(walls: [Wall]) throws(AirDescriptionError) {
    guard walls.count <= Self.wallLimit else {
      throw AirDescriptionError("plan", found: "\(walls.count) walls", expected: "at most \(Self.wallLimit)")
    }
    for (index, wall) in walls.enumerated() {
      let place = "wall \(index + 1)"
      try wall.start.check(place)
      try wall.end.check(place)
      guard wall.attenuation >= 0, wall.attenuation <= 200 else {
        throw AirDescriptionError(place, found: "an attenuation of \(wall.attenuation) dB", expected: "0 to 200 dB")
      }
      guard wall.start.x != wall.end.x || wall.start.y != wall.end.y else {
        throw AirDescriptionError(place, found: "both ends at the same point", expected: "a wall with a length")
      }
    }
    self.init(checked: walls)
  }

  /// Walls that are known to be in order.
  package init(checked walls: [Wall]) {
    self.walls = walls
    grid = WallGrid(walls)
  }

  /// The loss of the walls between two positions, in dB.
  func attenuation(from one: Position, to other: Position) -> Double {
    guard !walls.isEmpty, one.isFinite, other.isFinite else { return 0 }
    let isInOrder = one.x != other.x ? one.x < other.x : one.y <= other.y
    let (first, second) = isInOrder ? (one, other) : (other, one)
    var sum = 0.0
    grid.forEachCandidate(between: first, second) { index in
      if walls[index].isCrossed(by: first, second) { sum += walls[index].attenuation }
    }
    return sum
  }

  /// Whether both have the same walls in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.walls == right.walls }
}
