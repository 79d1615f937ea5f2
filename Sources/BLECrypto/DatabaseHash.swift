import BLECore

/// The hash of a GATT database (Core, Vol 3 Part G 7.3.1): equal databases, equal hashes, so that a client need not look
/// again. Attributes are added in the order of their handles.
public struct DatabaseHash {
  private var code: AESCMAC.Accumulator

  public init() {
    code = AESCMAC.Accumulator(AESCMAC(key: SecretKey(.zero)))
  }

  /// Adds an attribute as far as it counts: declarations with their values, most descriptors without, anything else not.
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

  /// The hash of what was added. The characteristic holds it least significant octet first.
  public var value: AESBlock { code.finish() }

  private mutating func append(_ handle: AttributeHandle, _ type: BLEUUID) {
    var writer = ByteWriter(capacity: 18)
    writer.append(handle)
    writer.append(type.forAttributeProtocol)
    code.append(contentsOf: writer.octets)
  }
}
