import BLEHost

/// What was set on a device: it is the system's and not a process's, so it holds for all later processes of the device.
struct DeviceSettings: Sendable {
  /// In the order in which they are applied to the stack of a new process: what takes effect at a start comes before the power.
  enum Kind: CaseIterable {
    case pairingAgent
    case securityPolicy
    case privacy
    case bondLimit
    case transmissionUnit
    case manufacturerData
    case permission
    case power
  }

  private var changes: [Kind: @Sendable (HostStack) -> Void] = [:]

  mutating func set(_ kind: Kind, _ change: @escaping @Sendable (HostStack) -> Void) { changes[kind] = change }

  /// Before the stack is started.
  func apply(to stack: HostStack) {
    for kind in Kind.allCases { changes[kind]?(stack) }
  }
}
