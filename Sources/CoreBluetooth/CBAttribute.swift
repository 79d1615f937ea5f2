/// A service, a characteristic or a descriptor.
///
/// Availability: iOS 8.0, macOS 10.13.
open class CBAttribute: NSObject {
  private let type: CBUUID

  init(type: CBUUID) {
    self.type = type
    super.init()
  }

  @available(*, unavailable)
  public override init() { raise("An attribute is only vended by a peripheral") }

  /// The type of the service, characteristic or descriptor.
  ///
  /// Availability: iOS 5.0, macOS 10.7.
  open var uuid: CBUUID { type }
}
