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
  public mutating func append(handle: AttributeHandle, type: BLEUUID, value: some Sequence<UInt8>) {
    switch type.short {
    // Services, includes, characteristics, extended properties.
    case 0x2800, 0x2801, 0x2802, 0x2803, 0x2900:
      append(handle, type)
      code.append(contentsOf: value)
    // User description, client and server configuration, presentation format, aggregate format.
    case 0x2901, 0x2902, 0x2903, 0x2904, 0x2905: append(handle, type)
    default: break
    }
  }

  /// The hash of the added attributes. The characteristic has it least significant octet first.
  public var value: AESBlock { code.finish() }

  private mutating func append(_ handle: AttributeHandle, _ type: BLEUUID) {
    var writer = ByteWriter(capacity: 18)
    writer.append(handle)
    writer.append(type.forAttributeProtocol)
    code.append(contentsOf: writer.octets)
  }
}
