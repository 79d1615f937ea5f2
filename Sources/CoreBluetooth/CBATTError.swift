/// The domain of `CBATTError`.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// What the server of an attribute answered instead of doing what it was asked (Core, Vol 3 Part F 3.4.1.1). Codes that are
/// not listed come through with their number.
public struct CBATTError: _BridgedStoredNSError, Sendable {
  public typealias Code = __CBATTErrorCode

  public let _nsError: NSError
  public init(_nsError error: NSError) { _nsError = error }

  public static var _nsErrorDomain: String { CBATTErrorDomain }
  /// Equals `CBATTErrorDomain`.
  public static var errorDomain: String { CBATTErrorDomain }

  // Foundation's own `hash` of a bridged error does not return on Linux.
  public static func == (left: CBATTError, right: CBATTError) -> Bool { left._nsError.code == right._nsError.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

  public static var success: CBATTError.Code { .success }
  public static var invalidHandle: CBATTError.Code { .invalidHandle }
  public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
  public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
  public static var invalidPdu: CBATTError.Code { .invalidPdu }
  public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
  public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
  public static var invalidOffset: CBATTError.Code { .invalidOffset }
  public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
  public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
  public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
  public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
  public static var unlikelyError: CBATTError.Code { .unlikelyError }
  public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
  public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
  public static var insufficientResources: CBATTError.Code { .insufficientResources }
}

extension CBATTError.Code: @retroactive _ErrorCodeProtocol {
  public typealias _ErrorType = CBATTError
}
