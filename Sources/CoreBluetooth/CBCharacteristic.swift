internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// A characteristic of a service, with its value and its descriptors: discovered on a peripheral, or to be published.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBCharacteristic: CBAttribute {
  struct State {
    var properties: CBCharacteristicProperties
    var value: Data?
    var descriptors: [CBDescriptor]?
    var isNotifying = false
    /// False after the peripheral was disconnected or has changed its service.
    var isValid = true
  }

  private let guarded: Mutex<Carried<State>>
  /// The handles on its peripheral; `nil` for a local one.
  let remote: RemoteCharacteristic?

  init(type: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
    guarded = Mutex(Carried(State(properties: properties, value: value)))
    remote = nil
    super.init(type: type)
  }

  init(_ remote: RemoteCharacteristic, of service: CBService) {
    guarded = Mutex(Carried(State(properties: CBCharacteristicProperties(rawValue: UInt(remote.properties)))))
    self.remote = remote
    self.service = service
    super.init(type: CBUUID(remote.uuid))
  }

  /// The service that it belongs to.
  open internal(set) weak var service: CBService?

  /// Changes or reads what programs may read from any thread: see `Locked`.
  func withState<Result>(_ body: (inout State) -> Result) -> Result {
    guarded.withLock { Carried<Result>(body(&$0.value)) }.value
  }

  /// The permitted uses of the value.
  open var properties: CBCharacteristicProperties { withState { $0.properties } }

  /// The value last read or notified; writing does not change it.
  open var value: Data? { withState { $0.value } }

  /// Its descriptors; `nil` until they are discovered.
  open var descriptors: [CBDescriptor]? { withState { $0.descriptors } }

  /// Always false.
  ///
  /// Availability: iOS 5.0, macOS 10.9; deprecated in iOS 8.0, macOS 10.13.
  @available(*, deprecated)
  open var isBroadcasted: Bool { false }

  /// Whether notifications or indications are enabled.
  open var isNotifying: Bool { withState { $0.isNotifying } }

  open override var description: String {
    let state = withState { $0 }
    let value = state.value?.textWithOctets ?? "(null)"
    let properties = numberText(state.properties.rawValue, digits: 1)
    let notifying = state.isNotifying ? "YES" : "NO"
    return "<\(nameAndAddress), UUID = \(uuid), properties = \(properties), value = \(value), notifying = \(notifying)>"
  }
}
