internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// A service: a group of characteristics, discovered on a peripheral or to be published.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBService: CBAttribute {
  struct State {
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
    /// False after the peripheral was disconnected or has changed this service.
    var isValid = true
  }

  private let guarded = Mutex(Carried(State()))
  /// The handles on its peripheral; `nil` for a local one.
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

  /// Changes or reads what programs may read from any thread: see `Locked`.
  func withState<Result>(_ body: (inout State) -> Result) -> Result {
    guarded.withLock { Carried<Result>(body(&$0.value)) }.value
  }

  /// Whether it is a primary service; secondary ones are only included by others.
  open var isPrimary: Bool { primary }

  /// The included services; `nil` until they are discovered.
  open var includedServices: [CBService]? { withState { $0.includedServices } }

  /// Its characteristics, as far as they are discovered; `nil` before the first discovery.
  open var characteristics: [CBCharacteristic]? { withState { $0.characteristics } }

  open override var description: String {
    "<\(nameAndAddress), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
  }
}
