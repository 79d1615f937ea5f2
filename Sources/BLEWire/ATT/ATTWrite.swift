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
public struct ATTSignedWriteCommand: ATTPacket, HasLayout {
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

  static let layout = Layout(
    Self.init, Field("Attribute Handle", \.attributeHandle),
    Field("Attribute Value", \.attributeValue, .rest(leaving: ATTLimits.signatureLength)),
    Field("Authentication Signature", \.authenticationSignature, .octets(ATTLimits.signatureLength)))
}
