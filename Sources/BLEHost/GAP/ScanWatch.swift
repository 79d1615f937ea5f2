import BLECore

/// Notices that a scan hears nothing any more where it heard a lot, and says when to begin the scan again.
///
/// Controllers and daemons were seen to report nothing at some time, while they say that they scan; beginning the scan again helps. A scan
/// may be silent for good reasons, too: the one device near has been connected or switched off, or each device is reported once only because
/// duplicates are filtered below. Beginning again costs a few milliseconds and loses nothing, so it need not be certain; but what is
/// filtered below must not count: only repetitions, reports of a device that was heard before, show that a scan goes on reporting.
///
/// A value that is looked at with the time given: whoever scans calls ``look(heard:repeated:at:)`` every ``Rule/interval`` and counts
/// reports meanwhile.
package struct ScanWatch: Sendable {
  /// The thresholds, for all adapters.
  package struct Rule: Sendable {
    /// The time between two looks.
    package var interval = StackDuration.seconds(15)
    /// So many looks in a row have to bring nothing: half a minute, in which BlueZ's daemon has begun its own search twice (its kernel
    /// searches for 10.24 s at a time, with 5 s in between).
    package var silentLooks = 2
    /// So many looks before the silence are counted together: a minute.
    package var formerLooks = 4
    /// So many repetitions in them are a lot: one every two seconds. Devices that advertise independently of each other at that rate
    /// are all silent for half a minute with a probability of e^-15, one in three million.
    package var muchRepeated = 30
    /// The time before the scan may be begun for the second time. It is doubled as long as that brings nothing ...
    package var firstPause = StackDuration.seconds(60)
    /// ... as far as this.
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
  /// When the scan was begun again, and how often in this silence.
  private var begunAgain: StackInstant?
  private var attempts = 0
  private var pause: StackDuration

  /// A scan begins.
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

  /// Why the scan is begun again, for the log.
  package var reason: String {
    let (silent, before) = (rule.interval * Int64(silence), rule.interval * Int64(rule.formerLooks))
    return "nothing was heard for \(Int(silent.seconds)) s, after \(formerlyRepeated) repeated advertisements in the "
      + "\(Int(before.seconds)) s before"
  }

  /// Looks at what was counted.
  /// - Returns: whether the scan is to be begun again.
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
      begunAgain.map({ now - $0 >= pause }) ?? true
    else { return false }
    begunAgain = now
    if attempts > 0 { pause = min(pause * 2, rule.longestPause) }
    attempts += 1
    return true
  }
}
