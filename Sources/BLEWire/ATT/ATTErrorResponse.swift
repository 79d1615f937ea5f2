import BLECore

/// A request was refused (Core, Vol 3 Part F 3.4.1.1).
public struct ATTErrorResponse: ATTPacket, HasLayout {
  public static let opcode = ATTOpcode.errorResponse

  public var requestOpcodeInError: ATTOpcode
  /// 0x0000 if the error does not concern an attribute.
  public var attributeHandleInError: AttributeHandle
  public var errorCode: ATTErrorCode

  public init(
    requestOpcodeInError: ATTOpcode, attributeHandleInError: AttributeHandle, errorCode: ATTErrorCode
  ) {
    self.requestOpcodeInError = requestOpcodeInError
    self.attributeHandleInError = attributeHandleInError
    self.errorCode = errorCode
  }

  static let layout = Layout(
    Self.init, Field("Request Opcode In Error", \.requestOpcodeInError),
    Field("Attribute Handle In Error", \.attributeHandleInError), Field("Error Code", \.errorCode))
}
