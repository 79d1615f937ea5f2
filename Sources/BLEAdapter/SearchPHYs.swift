/// The PHYs used to scan and to initiate connections.
public enum SearchPHYs: String, CaseIterable, Hashable, Sendable {
  /// LE 1M, as on Apple's systems: devices that advertise on LE Coded alone are not found.
  case le1M = "1m"
  /// LE Coded, which has a longer range: devices that advertise on LE 1M are not found.
  case leCoded = "coded"
  /// Both in turn, each half of the time.
  case both = "both"
}
