/// A service, a characteristic or a descriptor.
open class CBAttribute: NSObject {
  private let type: CBUUID

  init(type: CBUUID) {
    self.type = type
    super.init()
  }

  @available(*, unavailable)
  public override init() { raise("An attribute is only vended by a peripheral") }

  /// What kind of service, characteristic or descriptor it is.
  open var uuid: CBUUID { type }
}
