import BLETestKit
import Foundation
import Testing

@Suite("Worlds at the same time")
struct ExplorationParallelTests {
  @Test(
    "I14.3 worlds run at the same time where there is more than one processor",
    .enabled(if: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1))
  func together() async throws {
    // The parent of a worker is this process: both know the files by its number.
    let files = (1...2).map { "\(NSTemporaryDirectory())/together-\(getpid())-\($0)" }
    for file in files { unlink(file) }
    defer { for file in files { unlink(file) } }
    var budget = ExplorationBudget()
    budget.shrinkLimit = 0
    let exploration = try await World.explore(seeds: 3, within: budget) { world in
      _ = world.makeDevice("lamp")
      // Also the world in which nothing happens has the first seed.
      guard world.seed > 0 else { return }
      let meeting = "\(NSTemporaryDirectory())/together-\(getppid())"
      close(open("\(meeting)-\(world.seed)", O_CREAT | O_WRONLY, 0o600))
      // The world's clock moves: one that stands still while its process sleeps counts as one that does not end. The other world
      // may have to wait for a processor until worlds of other tests are over.
      for _ in 0..<200_000 where access("\(meeting)-\(3 - world.seed)", F_OK) != 0 {
        usleep(1_000)
        await world.advance(by: .milliseconds(1))
      }
      #expect(access("\(meeting)-\(3 - world.seed)", F_OK) == 0, "the other world does not begin before this one ends")
    }
    #expect(exploration.worlds == 3 && exploration.isolation == .processes, "\(exploration)")
  }
}
