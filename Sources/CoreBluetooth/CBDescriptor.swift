internal import BLEAdapter
internal import BLECore
internal import Synchronization

/// A descriptor: further information about a characteristic.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBDescriptor: CBAttribute {
  private let stored: Mutex<Carried<Any?>>
  /// The handle on its peripheral; `nil` for a local one.
  let remote: RemoteDescriptor?

  init(local type: CBUUID, value: Any?) {
    stored = Mutex(Carried(value))
    remote = nil
    super.init(type: type)
  }

  init(_ remote: RemoteDescriptor, of characteristic: CBCharacteristic) {
    stored = Mutex(Carried(nil))
    self.remote = remote
    self.characteristic = characteristic
    super.init(type: remote.uuid == Self.configuration.value ? Self.configuration : CBUUID(remote.uuid))
  }

  /// The characteristic that it belongs to.
  open internal(set) weak var characteristic: CBCharacteristic?

  /// The type of nearly all descriptors of a device with many: one object for all of them.
  private static let configuration = CBUUID(BLEUUID(DescriptorType.clientConfiguration))

  /// The value last read: an `NSNumber` for Extended Properties and the two Configurations, a `String` for the User Description,
  /// `Data` for all others.
  open var value: Any? { stored.withLock { Carried($0.value) }.value }

  /// Stores what the peer sent, converted to the type of its descriptor.
  func store(_ data: Data) {
    let value: Any =
      switch uuid.value.short {
      case DescriptorType.extendedProperties, DescriptorType.clientConfiguration, DescriptorType.serverConfiguration:
        NSNumber(value: data.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
      case DescriptorType.userDescription: String(decoding: data, as: UTF8.self)
      default: data
      }
    let carried = Carried<Any?>(value)
    stored.withLock { $0 = carried }
  }

  open override var description: String {
    let text = (value as? Data)?.textWithOctets ?? value.map { "\($0)" } ?? "(null)"
    return "<\(nameAndAddress), UUID = \(uuid), value = \(text)>"
  }
}

/// The UUIDs of the descriptors with a known type (Assigned Numbers 3.7).
enum DescriptorType {
  static let extendedProperties: UInt16 = 0x2900
  static let userDescription: UInt16 = 0x2901
  static let clientConfiguration: UInt16 = 0x2902
  static let serverConfiguration: UInt16 = 0x2903
  static let presentationFormat: UInt16 = 0x2904
}
