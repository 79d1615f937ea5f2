/// Looks for an adapter of the machine that this user's programs can use without a change of the system, when no adapter is named.
///
/// A probe changes nothing and opens no adapter. It is cheap where there is nothing to find: before it sends a message it checks
/// that the daemon's socket exists.
public protocol AdapterProbe: Sendable {
  /// What the probe asks, for messages: "BlueZ's daemon".
  var subject: String { get }

  /// Begins to look. `completion` is called once, from any thread. A result after more than a second is ignored.
  /// - Parameter adapters: the kernel's adapters, in use or not: `hci0`. At least one.
  func look(among adapters: [String], _ completion: @escaping @Sendable (AdapterFinding) -> Void)
}

/// The result of a probe.
public enum AdapterFinding: Hashable, Sendable {
  /// This adapter can be used.
  case usable(AdapterName)
  /// What would be asked is not there, and so uses no adapter: other probes may find one. The text says what is missing, as part
  /// of a sentence: "BlueZ's daemon does not run".
  case absent(String)
  /// An adapter is there, or may be, and must not be used without being named. The text says why, as part of a sentence: "hci0 is
  /// switched off".
  case withheld(String)
}
