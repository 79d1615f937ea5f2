/// Looks for an adapter of the machine that programs of this user can use as things are, where no adapter is named.
///
/// Looking changes nothing and opens no adapter. It costs next to nothing where there is nothing to find: before the first message a
/// probe looks whether the socket that it would go to is there.
public protocol AdapterProbe: Sendable {
  /// Who is asked, for messages: "BlueZ's daemon".
  var subject: String { get }

  /// Begins to look. `completion` is called once, from any thread. A second later it does not count any more.
  /// - Parameter adapters: those that the kernel has, whatever uses them: `hci0`. There is one at least.
  func look(among adapters: [String], _ completion: @escaping @Sendable (AdapterFinding) -> Void)
}

/// What a probe has found.
public enum AdapterFinding: Hashable, Sendable {
  /// This adapter can be used as things are.
  case usable(AdapterName)
  /// What would be asked is not there, and so has no adapter in use: others may have one. The text says what is missing, as part of a
  /// sentence: "BlueZ's daemon does not run".
  case absent(String)
  /// An adapter is there, or may be, and is not to be taken by anyone without being named. The text says why, as part of a sentence:
  /// "hci0 is switched off".
  case withheld(String)
}
