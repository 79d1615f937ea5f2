import BLECore

/// Detects that a scan which received many reports receives none any more, and decides when to restart it.
///
/// Controllers and daemons were seen to stop reporting while they claim to scan; restarting the scan helps. A scan may also be silent for
/// good reasons: the only device nearby has been connected or switched off, or each device is reported once because duplicates are filtered
/// below. A restart costs a few milliseconds and loses nothing, so certainty is not needed; but filtered duplicates must not count: only
/// repetitions, reports of a device that was heard before, show that a scan continues to report.
///
/// A value without a timer: its owner calls ``look(heard:repeated:at:)`` every ``Rule/interval`` with the counts and the time.
package struct ScanWatch: Sendable {
  /// The thresholds, for all adapters.
  package struct Rule: Sendable {
    /// The time between two looks.
    package var interval = StackDuration.seconds(15)
    /// How many looks in a row have to show no report: half a minute, in which BlueZ's daemon has restarted its own discovery twice (its
    /// kernel scans for 10.24 s at a time, with pauses of 5 s).
    package var silentLooks = 2
    /// How many looks before the silence are added up: a minute.
    package var formerLooks = 4
    /// How many repetitions in them are many: one every two seconds. Devices that advertise independently of each other at that rate
    /// are all silent for half a minute with a probability of e^-15, one in three million.
    package var muchRepeated = 30
    /// The time before the scan may be restarted for the second time. It doubles each time a restart does not help ...
    package var firstPause = StackDuration.seconds(60)
    /// ... up to this limit.
    package var longestPause = StackDuration.seconds(3_600)

    package init() {}
  }

  package let rule: Rule
  /// Reports and repetitions at the last look.
  private var heard: Int
  private var repeated: Int
  /// The repetitions of the looks before the silence, oldest first.
  private var former: [Int] = []
  private var silence = 0
  /// When the scan was last restarted, and how often in this silence.
  private var restarted: StackInstant?
  private var attempts = 0
  private var pause: StackDuration

  /// Starts with a scan.
  /// - Parameters:
  ///   - heard: how many reports were counted so far.
  ///   - repeated: how many of them were of a device that had been heard before.
  package init(_ rule: Rule = Rule(), heard: Int, repeated: Int) {
    self.rule = rule
    self.heard = heard
    self.repeated = repeated
    pause = rule.firstPause
  }

  private var formerlyRepeated: Int { former.reduce(0, +) }

  /// Why the scan is restarted, for the log.
  package var reason: String {
    let (silent, before) = (rule.interval * Int64(silence), rule.interval * Int64(rule.formerLooks))
    return "nothing was heard for \(Int(silent.seconds)) s, after \(formerlyRepeated) repeated advertisements in the "
      + "\(Int(before.seconds)) s before"
  }

  /// Compares the counts with those of the last look.
  /// - Returns: whether to restart the scan.
  package mutating func look(heard: Int, repeated: Int, at now: StackInstant) -> Bool {
    let (isSilent, new) = (heard == self.heard, repeated - self.repeated)
    self.heard = heard
    self.repeated = repeated
    guard isSilent else {
      former += repeatElement(0, count: min(silence, rule.formerLooks)) + [new]
      former.removeFirst(max(0, former.count - rule.formerLooks))
      silence = 0
      attempts = 0
      pause = rule.firstPause
      return false
    }
    silence += 1
    guard silence >= rule.silentLooks, formerlyRepeated >= rule.muchRepeated,
      restarted.map({ now - $0 >= pause }) ?? true
    else { return false }
    restarted = now
    if attempts > 0 { pause = min(pause * 2, rule.longestPause) }
    attempts += 1
    return true
  }
}
