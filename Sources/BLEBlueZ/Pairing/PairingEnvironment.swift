import BLEAdapter
import BLECore
import BLEPairing

/// What pairing needs of its adapter. Everything on the loop.
protocol PairingEnvironment: AnyObject {
  var log: Logger { get }
  var loop: any StackLoop { get }
  var bus: MessageBus? { get }
  /// The peer with this object path.
  func peer(of path: String) -> KnownPeer?
  /// Whether a central of this process has connected to the device.
  func isUsed(_ device: String) -> Bool
  /// Whether a peripheral of this process has published something that only paired devices may use.
  var offersProtectedValues: Bool { get }
}

extension PairingCapability {
  /// The daemon's name for it (bluez/doc: org.bluez.AgentManager).
  var daemonName: String {
    switch self {
    case .displayOnly: "DisplayOnly"
    case .displayYesNo: "DisplayYesNo"
    case .keyboardOnly: "KeyboardOnly"
    case .noInputNoOutput: "NoInputNoOutput"
    case .keyboardDisplay: "KeyboardDisplay"
    }
  }
}

extension BusError {
  static let rejected = BusError("org.bluez.Error.Rejected", "The user has refused.")
  static let canceled = BusError("org.bluez.Error.Canceled", "The request was cancelled.")
}
