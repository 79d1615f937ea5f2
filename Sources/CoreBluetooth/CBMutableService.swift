/// A service that a peripheral manager can publish. Changes after publishing have no effect on what is published.
///
/// Availability: iOS 6.0, macOS 10.9.
open class CBMutableService: CBService {
  /// A service to be published, without characteristics and included services.
  ///
  /// Availability: iOS 6.0, macOS 10.9; not on tvOS, watchOS.
  public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(type: UUID, isPrimary: isPrimary) }

  open override var description: String {
    // Included services without their contents: one of them may include this one.
    let included = includedServices?.map { "<\($0.nameAndAddress) UUID = \($0.uuid)>" }
    let characteristics = characteristics?.map(\.description)
    return "<\(nameAndAddress) Primary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid), "
      + "Included Services = \(linesText(included)), Characteristics = \(linesText(characteristics))>"
  }

  /// Included services; they have to be published before this one.
  open override var includedServices: [CBService]? {
    get { super.includedServices }
    set { withState { $0.includedServices = newValue } }
  }

  open override var characteristics: [CBCharacteristic]? {
    get { super.characteristics }
    set {
      withState { $0.characteristics = newValue }
      for characteristic in newValue ?? [] { characteristic.service = self }
    }
  }
}
