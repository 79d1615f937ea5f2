import BLETestKit
import CoreBluetooth
import TestSupport
import Testing

@Suite("Walks")
struct WalkTests {
  @Test("I14.5 a walk goes from point to point at its speeds, with pauses, and ends where it ends")
  func positions() throws {
    let walk = try Walk(
      from: .origin,
      [
        .to(Position(x: 10), speed: 2), .pause(.seconds(3)), .to(Position(x: 10, y: 4), speed: 1),
        .to(.origin, speed: 100),
      ])
    for (time, place) in [
      (0, .origin), (1, Position(x: 2)), (5, Position(x: 10)), (7, Position(x: 10)), (10, Position(x: 10, y: 2)),
      (12, Position(x: 10, y: 4)), (1_000, .origin), (-5, .origin),
    ] as [(Int, Position)] {
      #expect(walk.position(at: .seconds(time)) == place, "at \(time) s")
    }
    #expect(walk.duration > .seconds(12) && walk.duration < .seconds(12.2))
    #expect(try Walk(from: Position(x: 3), []).position(at: .seconds(9)) == Position(x: 3))
  }

  @Test("I14.5 the signal falls while a device walks away, the link ends out of range, and comes back with it")
  func awayAndBack() async throws {
    let scene = MovingScene(World(seed: 3), apart: 1)
    try await scene.connect()
    try scene.phone.walk(from: Position(x: 1), to: Position(x: 201), speed: 2)
    var levels: [Int] = []
    scene.central.reactions["rssi"] = {
      if case .rssi(let level)? = scene.central.events.last { levels.append(level) }
    }
    for _ in 0..<8 {
      scene.central.peripheral?.readRSSI()
      await scene.world.advance(by: .seconds(3))
    }
    print("RSSI each 6 m: \(levels)")
    #expect(levels.count == 8)
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 >= $1 - 3 })
    #expect(try #require(levels.first) - (try #require(levels.last)) > 30)
    try await scene.world.wait(within: .seconds(80)) { scene.central.peripheral?.state == .disconnected }
    #expect(scene.phone.position.x > 60 && scene.phone.position.x < 120)
    let end = Position(x: 201)
    try await scene.world.wait(within: .seconds(100)) { scene.phone.position == end }
    scene.central.connect()
    scene.phone.walk(try Walk(from: end, [.to(Position(x: 1), speed: 5)]))
    try await scene.world.wait(within: .seconds(60)) { scene.central.peripheral?.state == .connected }
    #expect(scene.phone.position.x < 110)
  }

  @Test("I14.5 a world in which somebody walks is quiet, and move(to:) ends a walk")
  func quiet() async throws {
    let scene = MovingScene(World(seed: 4), apart: 1)
    try await scene.connect()
    await scene.world.settle()
    let before = scene.world.now
    try scene.phone.walk(from: Position(x: 1), to: Position(x: 2), speed: 0.001)
    await scene.world.settle()
    #expect(scene.world.now - before < .seconds(1))
    scene.phone.move(to: Position(x: 7))
    await scene.world.advance(by: .seconds(5))
    #expect(scene.phone.position == Position(x: 7))
    scene.phone.walk(try Walk(from: .origin, [.to(Position(x: 2), speed: 1)]), repeats: true)
    await scene.world.advance(by: .seconds(101))
    #expect(abs(scene.phone.position.x - 1) < 0.15)
    scene.phone.stopWalking()
    await scene.world.advance(by: .milliseconds(1_500))
    #expect(abs(scene.phone.position.x - 1) < 0.15)
  }

  @Test("I14.5 the same seed is the same walk, octet for octet")
  func determinism() async throws {
    func capture(_ seed: UInt64) async throws -> [UInt8] {
      let scene = MovingScene(World(seed: seed), apart: 1)
      scene.phone.carry(.inPocket)
      try scene.phone.walk(from: Position(x: 1), to: Position(x: 60, y: 12), speed: 1.4)
      scene.central.seek("lamp")
      await scene.world.advance(by: .seconds(60))
      return scene.world.capture
    }
    let (first, second, other) = (try await capture(5), try await capture(5), try await capture(6))
    #expect(first == second && first != other && first.count > 5_000)
  }

  @Test("I14.B mistakes in a walk are refused with their place")
  func mistakes() async throws {
    for (parts, place) in [
      ([.to(Position(x: 1), speed: 0)], "part 1 of the walk"),
      ([.pause(.seconds(1)), .to(Position(x: 1), speed: -3)], "part 2 of the walk"),
      ([.to(Position(x: 1), speed: .nan)], "part 1 of the walk"),
      ([.to(Position(x: 1), speed: .infinity)], "part 1 of the walk"),
      ([.to(Position(x: .nan), speed: 1)], "part 1 of the walk"),
      ([.to(Position(x: 1e7), speed: 1)], "part 1 of the walk"),
      ([.pause(.seconds(-1))], "part 1 of the walk"),
      ([.to(Position(x: 1), speed: 1e-300)], "part 1 of the walk"),
      (Array(repeating: .pause(.zero), count: 10_001), "walk"),
    ] as [([Walk.Part], String)] {
      let error = #expect(throws: AirDescriptionError.self) { try Walk(from: .origin, parts) }
      #expect(error?.place == place, "\(error.map { "\($0)" } ?? "")")
    }
    #expect(throws: AirDescriptionError.self) { try Walk(from: Position(y: .infinity), []) }
    let world = World(seed: 1)
    let device = world.makeDevice("phone")
    #expect(throws: AirDescriptionError.self) { try device.walk(from: .origin, to: Position(x: 5), speed: .nan) }
    // A walk without a length is over at once, also one that repeats.
    device.walk(try Walk(from: Position(x: 3), []), repeats: true)
    await world.advance(by: .seconds(1))
    #expect(device.position == Position(x: 3))
  }
}
