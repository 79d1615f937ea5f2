import BLECore

/// The hash of a GATT database (Core, Vol 3 Part G 7.3.1): equal databases have equal hashes, so that a client need not discover
/// again. Attributes are added in the order of their handles.
public struct DatabaseHash {
  private var code: AESCMAC.Accumulator

  public init() {
    code = AESCMAC.Accumulator(AESCMAC(key: SecretKey(.zero)))
  }

  /// Adds an attribute as the specification defines it: declarations with their values, most descriptors without, other
  /// attributes not at all.
  public mutating func append(handle: AttributeHandle, type: BLEUUID, value: [UInt8]) {
    // All of these types are of 16 bits.
    guard let type = type.short else { return }
    switch type {
    // Services, includes, characteristics, extended properties.
    case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900:
      append(handle.rawValue)
      append(type)
      for octet in value { code.append(octet) }
    // User description, client and server configuration, presentation format, aggregate format.
    case 0x2901, 0x2902, 0x2903, 0x2904, 0x2905:
      append(handle.rawValue)
      append(type)
    default: break
    }
  }

  /// The hash of the added attributes. The characteristic has it least significant octet first.
  public var value: AESBlock { code.finish() }

  private mutating func append(_ number: UInt16) {
    code.append(UInt8(truncatingIfNeeded: number))
    code.append(UInt8(truncatingIfNeeded: number >> 8))
  }
}
