import BLECore

/// Writes one attribute and waits for the answer (Core, Vol 3 Part F 3.4.5.1).
public struct ATTWriteRequest: ATTHandleAndValue {
  public static let opcode = ATTOpcode.writeRequest

  public var attributeHandle: AttributeHandle
  public var attributeValue: ArraySlice<UInt8>

  public init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>) {
    self.attributeHandle = attributeHandle
    self.attributeValue = attributeValue
  }
}

/// The value was written (Core, Vol 3 Part F 3.4.5.2).
public struct ATTWriteResponse: ATTPacket, EmptyPacket {
  public static let opcode = ATTOpcode.writeResponse
  public init() {}
}

/// Writes one attribute without an answer (Core, Vol 3 Part F 3.4.5.3).
public struct ATTWriteCommand: ATTHandleAndValue {
  public static let opcode = ATTOpcode.writeCommand

  public var attributeHandle: AttributeHandle
  public var attributeValue: ArraySlice<UInt8>

  public init(attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>) {
    self.attributeHandle = attributeHandle
    self.attributeValue = attributeValue
  }
}

/// Writes one attribute without an answer, signed (Core, Vol 3 Part F 3.4.5.4).
public struct ATTSignedWriteCommand: ATTPacket {
  public static let opcode = ATTOpcode.signedWriteCommand

  public var attributeHandle: AttributeHandle
  public var attributeValue: ArraySlice<UInt8>
  /// Twelve octets: the sign counter and the signature over opcode, handle, value and counter (Core, Vol 3 Part H 2.4.5).
  public var authenticationSignature: ArraySlice<UInt8>

  public init(
    attributeHandle: AttributeHandle, attributeValue: ArraySlice<UInt8>, authenticationSignature: ArraySlice<UInt8>
  ) {
    self.attributeHandle = attributeHandle
    self.attributeValue = attributeValue
    self.authenticationSignature = authenticationSignature
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    attributeHandle = try reader.attributeHandle("Attribute Handle")
    let valueLength = Swift.max(0, reader.remaining - ATTLimits.signatureLength)
    attributeValue = try reader.octets(valueLength, "Attribute Value")
    authenticationSignature = try reader.octets(ATTLimits.signatureLength, "Authentication Signature")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(attributeHandle)
    writer.append(contentsOf: attributeValue)
    writer.append(contentsOf: authenticationSignature, paddedTo: ATTLimits.signatureLength)
  }

  public static var examples: [Self] {
    let signature: ArraySlice<UInt8> = [1, 0, 0, 0, 0xF1, 0x87, 0x1E, 0x93, 0x3C, 0x90, 0x0F, 0xF2]
    return [
      Self(attributeHandle: AttributeHandle(3), attributeValue: [1, 2, 3], authenticationSignature: signature),
      Self(attributeHandle: AttributeHandle(3), attributeValue: [], authenticationSignature: signature),
    ]
  }
}
