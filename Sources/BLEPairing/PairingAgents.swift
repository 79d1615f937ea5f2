import Synchronization

/// The agent that answers for the user of this process.
public enum PairingAgents {
  private static let registered = Mutex<(any PairingAgent)?>(nil)
  private static let standard = StandardPairingAgent()

  /// Registers `agent` for all adapters of the process that have no agent of their own; `nil` restores the standard agent. The
  /// reference is strong.
  public static func register(_ agent: (any PairingAgent)?) { registered.withLock { $0 = agent } }

  /// The registered agent, or the standard one.
  public static var current: any PairingAgent { registered.withLock { $0 } ?? standard }
}
