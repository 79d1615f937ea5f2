import BLEWire
import Testing

@testable import BLEHost

@Suite struct RadioArbiterTests {
  private typealias Wishes = RadioArbiter.Wishes

  /// An arbiter whose controller scans.
  private func scanningArbiter() -> RadioArbiter {
    var arbiter = RadioArbiter()
    _ = arbiter.handle(.wishesChanged, Wishes(scans: true))
    _ = arbiter.handle(.scanAnswered(.success), Wishes(scans: true))
    return arbiter
  }

  @Test("one change of the scan is made at a time")
  func oneChangeOfTheScanIsMadeAtATime() {
    var arbiter = RadioArbiter()
    #expect(arbiter.handle(.wishesChanged, Wishes()) == [])
    #expect(arbiter.handle(.wishesChanged, Wishes(scans: true)) == [.startScan(isSlow: false)])
    #expect(arbiter.willScan && !arbiter.isScanning)
    // While the controller has not answered nothing more is sent.
    #expect(arbiter.handle(.wishesChanged, Wishes()) == [])
    #expect(arbiter.handle(.scanAnswered(.success), Wishes()) == [.stopScan])
    #expect(arbiter.isScanning && !arbiter.willScan && !arbiter.isScanningSteadily)
    #expect(arbiter.handle(.scanAnswered(.success), Wishes()) == [])
    #expect(!arbiter.isScanning)
  }

  @Test("another interval and window take effect by a restart")
  func anotherPaceIsSetByStartingAgain() {
    var arbiter = scanningArbiter()
    let wishes = Wishes(scans: true, isInBackground: true)
    #expect(arbiter.handle(.wishesChanged, wishes) == [.stopScan])
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [.startScan(isSlow: true)])
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [])
  }

  @Test("a silent scan is restarted once")
  func aSilentScanIsStartedAgainOnce() {
    var arbiter = scanningArbiter()
    #expect(arbiter.handle(.scanIsSilent, Wishes(scans: true)) == [.stopScan])
    #expect(arbiter.handle(.scanAnswered(.success), Wishes(scans: true)) == [.startScan(isSlow: false)])
    #expect(arbiter.handle(.scanAnswered(.success), Wishes(scans: true)) == [])
  }

  @Test("a refused scan is not repeated")
  func aRefusedScanIsNotRepeated() {
    var arbiter = RadioArbiter()
    _ = arbiter.handle(.wishesChanged, Wishes(scans: true))
    #expect(
      arbiter.handle(.scanAnswered(.commandDisallowed), Wishes(scans: true)) == [
        .reportRefusal(.commandDisallowed, ofStart: true)
      ])
    #expect(!arbiter.takesTurns)
    #expect(arbiter.handle(.wishesChanged, Wishes(scans: true)) == [])
  }

  @Test("an answer that was not awaited changes nothing")
  func anAnswerThatWasNotAwaitedChangesNothing() {
    var arbiter = RadioArbiter()
    #expect(arbiter.handle(.scanAnswered(.success), Wishes()) == [])
    #expect(!arbiter.isScanning)
  }

  @Test("a scan refused while initiating waits for its turn")
  func aScanRefusedWhileInitiatingWaitsForItsTurn() {
    var arbiter = RadioArbiter()
    var wishes = Wishes(scans: true, connects: true, isInitiating: true)
    #expect(arbiter.handle(.wishesChanged, wishes) == [.startScan(isSlow: false)])
    #expect(
      arbiter.handle(.scanAnswered(.commandDisallowed), wishes) == [.reportTurns, .armTurnTimer, .allowInitiating])
    #expect(arbiter.takesTurns && !arbiter.willScan)
    // The scan's turn begins once initiating has stopped.
    #expect(arbiter.handle(.turnEnded, wishes) == [.armTurnTimer, .pauseInitiating])
    wishes.isInitiating = false
    #expect(arbiter.handle(.wishesChanged, wishes) == [.pauseInitiating, .startScan(isSlow: false)])
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [.pauseInitiating])
    // And that of initiating once the scan has stopped.
    #expect(arbiter.handle(.turnEnded, wishes) == [.armTurnTimer, .stopScan])
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [.allowInitiating])
  }

  @Test("an initiation refused while scanning is postponed until the scan has stopped")
  func anInitiationRefusedWhileScanningIsPostponedUntilTheScanHasStopped() {
    var arbiter = scanningArbiter()
    var wishes = Wishes(scans: true, connects: true, isInitiating: true)
    #expect(arbiter.mustTakeTurns(.commandDisallowed, wishes))
    #expect(!arbiter.mustTakeTurns(.memoryCapacityExceeded, wishes))
    #expect(
      arbiter.handle(.initiationRefused, wishes) == [.reportTurns, .postponeInitiation, .armTurnTimer, .stopScan])
    wishes.isInitiating = false
    #expect(arbiter.handle(.wishesChanged, wishes) == [])
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [.allowInitiating])
    // A second refusal is not a matter of turns.
    wishes.isInitiating = true
    #expect(!arbiter.mustTakeTurns(.commandDisallowed, wishes))
  }

  @Test("an initiation refused while the scan is being started is not taken for one that runs")
  func anInitiationRefusedWhileTheScanIsBeingStartedIsNotTakenForOneThatRuns() {
    var arbiter = RadioArbiter()
    var wishes = Wishes(scans: true, connects: true, isInitiating: true)
    #expect(arbiter.handle(.wishesChanged, wishes) == [.startScan(isSlow: false)])
    #expect(arbiter.handle(.initiationRefused, wishes) == [.reportTurns, .postponeInitiation, .armTurnTimer])
    wishes.isInitiating = false
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [.stopScan])
    #expect(arbiter.handle(.scanAnswered(.success), wishes) == [.allowInitiating])
  }

  @Test("without another activity there are no turns")
  func withoutACompetitorThereAreNoTurns() {
    var arbiter = scanningArbiter()
    _ = arbiter.handle(.initiationRefused, Wishes(scans: true, connects: true, isInitiating: true))
    _ = arbiter.handle(.scanAnswered(.success), Wishes(scans: true, connects: true))
    #expect(
      arbiter.handle(.wishesChanged, Wishes(scans: true)) == [
        .cancelTurnTimer, .pauseInitiating, .startScan(isSlow: false),
      ])
    #expect(arbiter.handle(.scanAnswered(.success), Wishes(scans: true)) == [.pauseInitiating])
    // A device to initiate to comes first.
    #expect(
      arbiter.handle(.wishesChanged, Wishes(scans: true, connects: true)) == [.armTurnTimer, .stopScan])
  }
}
