import BLECore
import BLEWire
import Testing

@testable import BLEVirtualRadio

@Suite("Floor plans")
struct FloorPlanTests {
  private static let clear = Propagation(
    signal: .pathLoss(exponent: 2, referenceLoss: 40, shadowing: 0, jitter: 0), range: 100)

  @Test("I14.5 the walls between two radios add up, and only those")
  func wallsAddUp() async throws {
    var propagation = Self.clear
    propagation.plan = try FloorPlan(walls: [
      Wall(from: Position(x: 3, y: -5), to: Position(x: 3, y: 5), .brick),
      Wall(from: Position(x: 6, y: -5), to: Position(x: 6, y: 5), attenuation: 3.6),
      Wall(from: Position(x: 8, y: 1), to: Position(x: 8, y: 5), .metal),
      Wall(from: Position(x: 0, y: 2), to: Position(x: 10, y: 2), .concrete),
    ])
    let pair = try TestPair(propagation: propagation)
    pair.peripheral.advertise(interval: 0x20)
    pair.central.scan()
    for (place, expected) in [
      (Position(x: 1), -40), (Position(x: 10), -70), (Position(x: 0, y: 10), -75),
    ] as [(Position, Int8)] {
      pair.peripheral.controller.move(to: place)
      pair.central.forget()
      await pair.run(.seconds(1))
      #expect(Set(pair.central.reports.map(\.report.rssi)) == [expected], "\(place)")
    }
    pair.air.propagation.plan = nil
    pair.central.forget()
    await pair.run(.seconds(1))
    #expect(Set(pair.central.reports.map(\.report.rssi)) == [-60])
  }

  @Test("I14.5 a line finds exactly the walls that a comparison with every wall finds, the same in both directions")
  func everyWall() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let chance = SeededEntropy(seed: seed)
      // Many walls on whole metres, so that lines touch ends and run along walls.
      func place() -> Position {
        Position(x: Double(chance.uniform(0..<40)), y: Double(chance.uniform(0..<40)))
      }
      var walls: [Wall] = []
      while walls.count < 300 {
        let (start, end) = (place(), place())
        if start != end { walls.append(Wall(from: start, to: end, attenuation: 1)) }
      }
      let plan = try FloorPlan(walls: walls)
      for _ in 0..<200 {
        let (one, other) = (place(), place())
        let (first, second) =
          one.x != other.x
          ? (one.x < other.x ? (one, other) : (other, one)) : one.y <= other.y ? (one, other) : (other, one)
        let expected = Double(walls.count { $0.isCrossed(by: first, second) })
        #expect(plan.attenuation(from: one, to: other) == expected, "seed \(seed) \(one) \(other)")
        #expect(plan.attenuation(from: other, to: one) == expected)
      }
    }
  }

  @Test("I14.5 a line through the point where two walls meet passes through one of them")
  func corners() throws {
    let plan = try FloorPlan(walls: [
      Wall(from: Position(x: 5, y: -5), to: Position(x: 5, y: 0), attenuation: 7),
      Wall(from: Position(x: 5, y: 0), to: Position(x: 5, y: 5), attenuation: 7),
    ])
    #expect(plan.attenuation(from: .origin, to: Position(x: 10)) == 7)
    #expect(plan.attenuation(from: Position(x: 10), to: .origin) == 7)
  }

  @Test("I14.B 10,000 walls: a line of sight is compared with few of them")
  func manyWalls() throws {
    let chance = SeededEntropy(seed: 4)
    let walls = (0..<10_000).map { _ in
      let start = Position(x: chance.unit() * 1_000, y: chance.unit() * 1_000)
      return Wall(from: start, to: Position(x: start.x + chance.unit() * 5 + 0.1, y: start.y), .plasterboard)
    }
    let grid = WallGrid(walls)
    var compared = 0
    for _ in 0..<1_000 {
      let start = Position(x: chance.unit() * 990, y: chance.unit() * 990)
      grid.forEachCandidate(between: start, Position(x: start.x + 10, y: start.y + 10)) { _ in compared += 1 }
    }
    print("walls compared with a line of 14 m among 10,000: \(Double(compared) / 1_000)")
    #expect(compared < 1_000 * 60)
    #expect(throws: AirDescriptionError.self) { try FloorPlan(walls: walls + [walls[0]]) }
  }

  @Test("I14.B mistakes in a plan are refused with the wall and what is expected")
  func mistakes() {
    let good = Wall(from: .origin, to: Position(x: 1), attenuation: 3)
    for (bad, found) in [
      (Wall(from: .origin, to: Position(x: 1), attenuation: -5), "an attenuation of -5.0 dB"),
      (Wall(from: .origin, to: Position(x: 1), attenuation: .nan), "an attenuation of nan dB"),
      (Wall(from: .origin, to: Position(x: 1), attenuation: .infinity), "an attenuation of inf dB"),
      (Wall(from: Position(x: 1), to: Position(x: 1, z: 3), attenuation: 3), "both ends at the same point"),
      (Wall(from: Position(x: .nan), to: .origin, attenuation: 3), "the position (nan, 0.0, 0.0)"),
      (Wall(from: .origin, to: Position(y: .infinity), attenuation: 3), "the position (0.0, inf, 0.0)"),
    ] {
      let error = #expect(throws: AirDescriptionError.self) { try FloorPlan(walls: [good, bad]) }
      #expect(error?.place == "wall 2" && error?.found == found, "\(error.map { "\($0)" } ?? "")")
    }
  }
}
