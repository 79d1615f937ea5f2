import BLECore
import BLEHost
import BLEVirtualRadio
import Synchronization

/// Faults of a device, each a value that reads as a sentence. As with `Device`'s other methods, the effect begins with the next `settle`,
/// `advance` or `wait` of the world.
///
/// ```swift
/// lamp.setFaults([.at(.read(.characteristic(BLEUUID(0x2A19))), .nth(2), .error(.unlikelyError))])
/// ```
extension Device {
  /// The faults that were set. What `cause(_:)` has caused is not among them.
  public var faults: [Fault] {
    get { faultBox.faults }
    set { setFaults(newValue) }
  }

  /// Sets the faults of the device in place of all earlier ones, and counts from the beginning: the first read is the first from now on.
  /// They belong to the device: the next process on it has them too, and counts from the beginning.
  ///
  /// A fault with a `mistake` is written to the log and never strikes.
  public func setFaults(_ faults: [Fault]) {
    faultBox.set(faults)
    applyFaults(to: stack)
  }

  /// Causes a fault once, besides those that were set: at once if its action needs no packet, otherwise at the next occurrence of its event.
  public func cause(_ fault: Fault) {
    stack.cause(fault, seed: faultBox.seed, radio: faultRadio, didStrike: faultBox.didStrike)
  }

  /// Gives the faults to the stack of a process.
  func applyFaults(to stack: HostStack) {
    stack.setFaults(faultBox.faults, seed: faultBox.seed, radio: faultRadio, didStrike: faultBox.didStrike)
  }

  private var faultRadio: FaultRadio {
    let radio = radio
    return FaultRadio(
      silence: { radio.value.silence(for: $0) },
      resetController: { radio.value.controller?.failHardware(code: 0x01) },
      trouble: { radio.value.controller?.inject(ControllerFault($0)) })
  }
}

extension ControllerFault {
  fileprivate init(_ trouble: FaultControllerTrouble) {
    switch trouble {
    case .loseDataToHost(let count): self = .loseDataToHost(packets: count)
    case .loseDataFromHost(let count): self = .loseDataFromHost(packets: count)
    case .ignoreCommands(let count): self = .ignoreCommands(count: count)
    case .spoilEncryptedPackets(let count): self = .spoilEncryptedPackets(count: count)
    case .hang: self = .hang
    }
  }
}

/// The faults of one device, and where it writes down those that have struck.
final class FaultBox: Sendable {
  let seed: UInt64
  private let current = Mutex<[Fault]>([])
  private let log: Logger
  let didStrike: @Sendable (Fault, StackInstant) -> Void

  init(device: String, seed: UInt64, log: Logger, into struck: FaultRecord) {
    self.seed = seed
    self.log = log.labelled("\(device) fault")
    didStrike = { struck.add(FaultStrike(device: device, fault: $0, time: .nanoseconds($1.nanoseconds))) }
  }

  var faults: [Fault] { current.withLock { $0 } }

  func set(_ faults: [Fault]) {
    for fault in faults { if let mistake = fault.mistake { log.log(.warning, "never strikes: \(mistake)") } }
    current.withLock { $0 = faults }
  }
}
