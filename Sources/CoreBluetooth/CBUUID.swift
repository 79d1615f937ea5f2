internal import BLECore

/// A UUID as Bluetooth uses it, 16, 32 or 128 bits wide. Two spellings of one value are equal.
///
/// `@unchecked Sendable`: the one stored value is a constant.
///
/// Availability: iOS 5.0, macOS 10.7.
open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  let value: BLEUUID

  init(_ value: BLEUUID) {
    self.value = value
    super.init()
  }

  /// A UUID from 4, 8 or 36 (dashed) hexadecimal digits of either case, also with the prefix `0x` or `0X`. Any other text ends
  /// the program, as on Apple's systems.
  public init(string theString: String) {
    let hasPrefix = theString.hasPrefix("0x") || theString.hasPrefix("0X")
    guard let value = BLEUUID(theString.dropFirst(hasPrefix ? 2 : 0)) else {
      raise("String \(theString) does not represent a valid UUID")
    }
    self.value = value
    super.init()
  }

  /// A UUID from 2, 4 or 16 octets, most significant first. Any other count ends the program, as on Apple's systems.
  public init(data theData: Data) {
    guard let value = BLEUUID(octets: theData.reversed()) else {
      raise("Data \(theData as NSData) does not represent a valid UUID")
    }
    self.value = value
    super.init()
  }

  /// A UUID of 128 bits; equal to the short form of the same value.
  ///
  /// Availability: iOS 7.0, macOS 10.9.
  public init(nsuuid theUUID: UUID) {
    let identifier = PeerNumber(theUUID)
    value = BLEUUID(high: identifier.high, low: identifier.low)
    super.init()
  }

  /// The same from an `NSUUID`.
  ///
  /// Availability: iOS 5.0, macOS 10.7; deprecated in iOS 9.0, macOS 10.13.
  @available(*, deprecated, message: "Use init(nsuuid:)")
  public init(cfuuid theUUID: CFUUID) {
    let identifier = PeerNumber(theUUID as UUID)
    value = BLEUUID(high: identifier.high, low: identifier.low)
    super.init()
  }

  /// The octets, most significant first, as many as were passed to the initializer.
  open var data: Data { Data(value.octets.reversed()) }

  /// Upper case, in the shortest form: 4 digits for a 16-bit UUID of the Bluetooth base, however it was made.
  ///
  /// Availability: iOS 7.1, macOS 10.10.
  open var uuidString: String {
    if let short = value.short { return BLEUUID(short).description }
    if let medium = value.medium { return BLEUUID(medium: medium).description }
    return value.description
  }

  /// The assigned name of a well-known UUID, else `uuidString`.
  open override var description: String { AssignedName.of(value) ?? uuidString }

  /// The object itself: it is immutable.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.value == value }

  open override var hash: Int { Int(truncatingIfNeeded: value.high &* 0x9E37_79B9_7F4A_7C15 ^ value.low) }
}

/// The 128 bits of a `UUID` as two numbers.
struct PeerNumber {
  let high: UInt64
  let low: UInt64

  init(_ uuid: UUID) {
    (high, low) = withUnsafeBytes(of: uuid.uuid) { octets in
      (
        UInt64(bigEndian: octets.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}

extension UUID {
  init(high: UInt64, low: UInt64) {
    var octets: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &octets) { octets in
      octets.storeBytes(of: high.bigEndian, as: UInt64.self)
      octets.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    self.init(uuid: octets)
  }
}
