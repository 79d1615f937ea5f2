import BLEAdapter
import BLECore
import BLEPairing

/// What pairing needs of the adapter that it is on. Everything on the loop.
protocol PairingGround: AnyObject {
  var log: Logger { get }
  var loop: any StackLoop { get }
  var bus: MessageBus? { get }
  /// The peer that the daemon knows by this object.
  func peer(of path: String) -> KnownPeer?
  /// A central of this process has connected to the device.
  func isUsed(_ device: String) -> Bool
  /// A peripheral of this process has published something that only paired devices may use.
  var offersProtectedValues: Bool { get }
}

extension PairingCapability {
  /// As the daemon calls it (bluez/doc: org.bluez.AgentManager).
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
  static let rejected = BusError("org.bluez.Error.Rejected", "The user has said no.")
  static let canceled = BusError("org.bluez.Error.Canceled", "The question is over.")
}
