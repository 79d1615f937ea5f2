/// The domain of `CBATTError`.
///
/// Availability: iOS 5.0, macOS 10.7.
public let CBATTErrorDomain: String = "CBATTErrorDomain"

/// The error that the server of an attribute responded with (Core, Vol 3 Part F 3.4.1.1). Codes that are not listed are passed on
/// with their number.
///
/// Availability: iOS 5.0, macOS 10.7.
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

  /// Domain, code, localized text and user info, in the form in which Apple's errors are printed.
  public var description: String { _nsError.textWithDescription }

  /// Success: the result with which a peripheral manager responds to a request that it has carried out.
  ///
  /// Availability: iOS 6.0, macOS 10.9.
  public static var success: CBATTError.Code { .success }
  /// The attribute does not exist (0x01).
  public static var invalidHandle: CBATTError.Code { .invalidHandle }
  /// The attribute cannot be read (0x02).
  public static var readNotPermitted: CBATTError.Code { .readNotPermitted }
  /// The attribute cannot be written (0x03).
  public static var writeNotPermitted: CBATTError.Code { .writeNotPermitted }
  /// The PDU was invalid (0x04).
  public static var invalidPdu: CBATTError.Code { .invalidPdu }
  /// The access requires an authenticated link (0x05).
  public static var insufficientAuthentication: CBATTError.Code { .insufficientAuthentication }
  /// The server does not support this request (0x06).
  public static var requestNotSupported: CBATTError.Code { .requestNotSupported }
  /// The offset is past the end of the value (0x07).
  public static var invalidOffset: CBATTError.Code { .invalidOffset }
  /// The access requires authorization (0x08).
  public static var insufficientAuthorization: CBATTError.Code { .insufficientAuthorization }
  /// The queue of prepared writes is full (0x09).
  public static var prepareQueueFull: CBATTError.Code { .prepareQueueFull }
  /// There is no attribute in the range (0x0A).
  public static var attributeNotFound: CBATTError.Code { .attributeNotFound }
  /// The value is too short for a long read (0x0B).
  public static var attributeNotLong: CBATTError.Code { .attributeNotLong }
  /// The encryption key of the link is too short (0x0C).
  public static var insufficientEncryptionKeySize: CBATTError.Code { .insufficientEncryptionKeySize }
  /// The value has the wrong length for the attribute (0x0D).
  public static var invalidAttributeValueLength: CBATTError.Code { .invalidAttributeValueLength }
  /// An error without a code of its own (0x0E).
  public static var unlikelyError: CBATTError.Code { .unlikelyError }
  /// The access requires an encrypted link (0x0F).
  public static var insufficientEncryption: CBATTError.Code { .insufficientEncryption }
  /// The attribute type is not a supported grouping attribute (0x10).
  public static var unsupportedGroupType: CBATTError.Code { .unsupportedGroupType }
  /// The server has insufficient resources (0x11).
  public static var insufficientResources: CBATTError.Code { .insufficientResources }
}

extension CBATTError.Code: @retroactive _ErrorCodeProtocol {
  public typealias _ErrorType = CBATTError
}
