import BLECore
import BLEHost
import Testing

@Suite("Restarting a scan that receives nothing") struct ScanWatchTests {
  /// A scan that is checked at the right times.
  private struct Scan {
    var watch = ScanWatch(heard: 0, repeated: 0)
    var now = StackInstant.zero
    private var heard = 0
    private var repeated = 0

    /// The seconds at which it was restarted, when this many reports came before each check.
    mutating func look(_ looks: Int, new: Int = 0, repeated more: Int = 0) -> [Int] {
      var restarts: [Int] = []
      for _ in 0..<looks {
        now = now + watch.rule.interval
        heard += new + more
        repeated += more
        if watch.look(heard: heard, repeated: repeated, at: now) { restarts.append(Int((now - .zero).seconds)) }
      }
      return restarts
    }
  }

  @Test(
    "I12.5 after half a minute of silence following many reports, then after one, two, four ... minutes, an hour at most"
  )
  func growingPauses() {
    var scan = Scan()
    #expect(scan.look(4, repeated: 100) == [])
    #expect(scan.look(64) == [90, 150, 270, 510, 990])
    #expect(scan.watch.reason.contains("after 400 repeated advertisements in the 60 s before"))
    // Pauses of 16, 32, 60 and 60 minutes.
    let later = scan.look(4 * 60 * 4)
    #expect(zip(later, later.dropFirst()).allSatisfy { $1 - $0 <= 3_600 })
    #expect(later.count == 5)
    // A report after a pause resets the interval.
    #expect(scan.look(8, repeated: 100) == [])
    #expect(scan.look(2).count == 1)
  }

  @Test("I12.5 at most once a minute, also where reports come again each time")
  func rateLimit() {
    var scan = Scan()
    var restarts: [Int] = []
    for _ in 0..<40 {
      restarts += scan.look(1, repeated: 50)
      restarts += scan.look(2)
    }
    #expect(restarts.count > 10)
    #expect(zip(restarts, restarts.dropFirst()).allSatisfy { $1 - $0 >= 60 })
  }

  @Test("I12.5 one check without a report is not yet silence")
  func shortSilence() {
    var scan = Scan()
    for _ in 0..<100 {
      #expect(scan.look(1, repeated: 100) == [])
      #expect(scan.look(1) == [])
    }
  }

  @Test("I12.5 where there were few reports, or only long ago, silence is expected")
  func littleHeard() {
    var scan = Scan()
    #expect(scan.look(1_000) == [])
    #expect(scan.look(4, repeated: 7) == [] && scan.look(1_000) == [])
    #expect(scan.look(1, repeated: 29) == [] && scan.look(1_000) == [])
    // Many an hour ago, and one since.
    #expect(scan.look(1, repeated: 1_000) == [] && !scan.look(240).isEmpty)
    #expect(scan.look(1, repeated: 1) == [] && scan.look(1_000) == [])
  }

  @Test("I12.5 devices that are reported once each, as with duplicate filtering, give no reason to expect more")
  func filteredDuplicates() {
    var scan = Scan()
    #expect(scan.look(4, new: 1_000) == [] && scan.look(1_000) == [])
    // But they are reports: there is no silence as long as they come.
    #expect(scan.look(4, repeated: 100) == [] && scan.look(1_000, new: 1) == [])
  }
}
