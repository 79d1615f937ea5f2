import Synchronization

/// Which agent answers for the user of this process.
public enum PairingAgents {
  private static let registered = Mutex<(any PairingAgent)?>(nil)
  private static let standard = StandardPairingAgent()

  /// Lets `agent` answer from now on, for all adapters of the process that have none of their own; `nil` goes back to the
  /// standard one. It is held.
  public static func register(_ agent: (any PairingAgent)?) { registered.withLock { $0 = agent } }

  /// Who answers now.
  public static var current: any PairingAgent { registered.withLock { $0 } ?? standard }
}
