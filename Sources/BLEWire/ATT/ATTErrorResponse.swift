import BLECore

/// A request was refused (Core, Vol 3 Part F 3.4.1.1).
public struct ATTErrorResponse: ATTPacket {
  public static let opcode = ATTOpcode.errorResponse

  public var requestOpcodeInError: ATTOpcode
  /// 0x0000 where no attribute is to blame.
  public var attributeHandleInError: AttributeHandle
  public var errorCode: ATTErrorCode

  public init(
    requestOpcodeInError: ATTOpcode, attributeHandleInError: AttributeHandle, errorCode: ATTErrorCode
  ) {
    self.requestOpcodeInError = requestOpcodeInError
    self.attributeHandleInError = attributeHandleInError
    self.errorCode = errorCode
  }

  public init(from reader: inout ByteReader) throws(DecodeError) {
    requestOpcodeInError = ATTOpcode(try reader.uint8("Request Opcode In Error"))
    attributeHandleInError = try reader.attributeHandle("Attribute Handle In Error")
    errorCode = ATTErrorCode(try reader.uint8("Error Code"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append(requestOpcodeInError.rawValue)
    writer.append(attributeHandleInError)
    writer.append(errorCode.rawValue)
  }

  public static var examples: [Self] {
    [
      Self(requestOpcodeInError: .readRequest, attributeHandleInError: AttributeHandle(3), errorCode: .invalidHandle),
      Self(
        requestOpcodeInError: ATTOpcode(0x3F), attributeHandleInError: AttributeHandle(0),
        errorCode: ATTErrorCode(0x80)),
    ]
  }
}
