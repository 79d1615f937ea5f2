/// The PHYs on which devices are looked for, be it to find them or to connect to them.
public enum SearchPHYs: String, CaseIterable, Hashable, Sendable {
  /// LE 1M, as Apple's systems: their devices do not find what advertises on LE Coded alone.
  case le1M = "1m"
  /// LE Coded, which reaches further: what advertises on LE 1M is not found.
  case leCoded = "coded"
  /// Both in turn, each half of the time.
  case both = "both"
}
