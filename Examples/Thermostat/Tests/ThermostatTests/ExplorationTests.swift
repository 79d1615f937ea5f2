#if canImport(BLETestKit)
  import BLETestKit
  import Foundation
  import Testing

  /// Thousands of days in a home.
  @Suite("Thermostat: explorations", .serialized)
  struct ThermostatExplorationTests {
    /// `THERMOSTAT_WORLDS=100000` in the environment for a night's work.
    static let worlds = ProcessInfo.processInfo.environment["THERMOSTAT_WORLDS"].flatMap { Int($0) } ?? 300

    @Test("I14.7 the app without a mistake passes every world")
    func withoutMistake() async throws {
      let exploration = try await World.explore(seeds: Self.worlds, within: .home) { await day(in: $0) }
      #expect(exploration.worlds > 0)
    }

    @Test(
      "I14.7 each seeded bug is found within 10,000 worlds, and shrunk to at most six events",
      arguments: SeededBug.allCases)
    func found(_ bug: SeededBug) async throws {
      let failure = try #require(
        await #expect(throws: ExplorationFailure.self) {
          try await World.explore(seeds: 10_000, within: .home) { await day(in: $0, bug: bug) }
        })
      print("\(bug): \(failure.worlds) worlds, \(failure.events.count) events\n\(failure)")
      #expect(failure.isReproducible)
      #expect(failure.events.count <= 6, "\(failure)")
    }
  }
#endif
