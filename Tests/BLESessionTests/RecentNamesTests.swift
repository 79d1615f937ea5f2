import Testing

@testable import BLESession

@Suite("Names in the order of their last use")
struct RecentNamesTests {
  /// The same, with a search through all names at each step.
  private struct Model {
    var names: [Int] = []

    mutating func use(_ name: Int, most: Int) -> Int? {
      names.removeAll { $0 == name }
      names.append(name)
      return names.count > most ? names.removeFirst() : nil
    }
  }

  @Test("I17.1 the name that is forgotten is the one that was not used for the longest time", arguments: 1...8)
  func order(seed: UInt64) {
    var state = seed
    func draw(_ count: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % count)
    }
    var (recent, model) = (RecentNames<Int>(), Model())
    for _ in 0..<5_000 {
      let name = draw(40)
      switch draw(10) {
      case 0:
        recent.remove(name)
        model.names.removeAll { $0 == name }
      case 1: #expect(recent.removeOldest() == (model.names.isEmpty ? nil : model.names.removeFirst()))
      default: #expect(recent.use(name, most: 20) == model.use(name, most: 20))
      }
      #expect(recent.oldest == model.names.first)
      #expect(recent.count == model.names.count)
    }
  }

  @Test(
    "I17.1 a hundred thousand names leave nothing behind, each used once, again and again, or removed at once",
    arguments: [1, 3, 0])
  func bounds(uses: Int) {
    var recent = RecentNames<Int>()
    var most = 0
    for name in 0..<100_000 {
      for _ in 0..<max(1, uses) { _ = recent.use(name, most: 1_000) }
      if uses == 0 { recent.remove(name) }
      most = max(most, recent.stored)
    }
    #expect(recent.count == (uses == 0 ? 0 : 1_000))
    #expect(most <= 2 * 1_001 + 64)
    #expect(recent.steps <= 4 * 100_000 * max(1, uses))
  }
}
