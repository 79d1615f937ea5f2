internal import BLECore

/// A descriptor to be published: a User Description (`String`) or a Presentation Format (`Data`). The system makes the others
/// from the properties of the characteristic.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBMutableDescriptor: CBDescriptor {
  /// The value as sent.
  let octets: [UInt8]

  /// Another type than these two, or a value that does not fit the type, ends the program, as on Apple's systems.
  ///
  /// Availability: iOS 6.0, macOS 10.9; not on tvOS, watchOS.
  public init(type UUID: CBUUID, value: Any?) {
    switch (UUID.value.short, value) {
    case (DescriptorType.userDescription, let text as String): octets = Array(text.utf8)
    case (DescriptorType.presentationFormat, let data as Data): octets = Array(data)
    case (DescriptorType.userDescription, _), (DescriptorType.presentationFormat, _):
      raise("The value of the descriptor \(UUID.uuidString) is not of its type")
    default:
      raise("Only Characteristic User Description and Characteristic Format descriptors are supported, not \(UUID)")
    }
    super.init(local: UUID, value: value)
  }
}
