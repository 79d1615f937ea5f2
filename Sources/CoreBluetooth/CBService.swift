internal import BLEAdapter
internal import BLECore

/// A service: a group of characteristics, on a peripheral or to be published.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBService: CBAttribute {
  struct State {
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
    /// False once the peripheral has gone or has changed this service.
    var isValid = true
  }

  let shared = Locked(State())
  /// Where it is on its peripheral; `nil` for a local one.
  let remote: RemoteService?
  private let primary: Bool

  init(type: CBUUID, isPrimary: Bool) {
    remote = nil
    primary = isPrimary
    super.init(type: type)
  }

  init(_ remote: RemoteService, of peripheral: CBPeripheral) {
    self.remote = remote
    primary = remote.isPrimary
    self.peripheral = peripheral
    super.init(type: CBUUID(remote.uuid))
  }

  /// The peripheral that it belongs to; `nil` for a local one.
  open internal(set) weak var peripheral: CBPeripheral?

  /// Whether it is of its own, and not only there for others to include.
  open var isPrimary: Bool { primary }

  /// The services that it refers to; `nil` until they were discovered.
  open var includedServices: [CBService]? { shared.withLock { $0.includedServices } }

  /// Its characteristics, as far as they were discovered; `nil` before the first discovery.
  open var characteristics: [CBCharacteristic]? { shared.withLock { $0.characteristics } }

  open override var description: String {
    "<\(nameAndAddress), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
  }
}
